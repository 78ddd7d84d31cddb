"""One conversation with one session, which goes on over a connection that breaks.

Every event has a number and every message an id of its own. After a lost connection the conversation opens the session
again behind the last event it has seen, and sends the message again that has no answer yet; the server gives what came
of it if it was taken, and no model is asked twice.
"""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass, field
from typing import Callable

import grpc

from .errors import SteersmanError, of_call, of_ended, of_status
from .v1 import event_pb2, session_pb2, sessions_pb2

#: After these the same message is sent again; nothing was kept of it.
_SEND_AGAIN = {"QUEUE_FULL", "STALE_WRITER", "STORE_UNAVAILABLE"}
#: After these ends of a stream the session is opened again.
_OPEN_AGAIN = {"DRAINING", "SLOW_READER", "STALE_WRITER", "STORE_UNAVAILABLE", "STREAM_IDLE"}
#: The wait before the first attempt to mend a connection, doubled for each next one, and the longest wait.
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 3.0


@dataclass
class Turn:
    """What came of a message."""

    finished: sessions_pb2.TurnFinished
    events: list[event_pb2.Event] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What the person is to read, in order."""
        spoken = (event.utterance for event in self.events if event.HasField("utterance"))
        return "\n".join(said.text for said in spoken if said.role != "user")

    @property
    def choices(self) -> dict[str, str]:
        """The choices that are offered now, by key."""
        offered = [event.options_offered for event in self.events if event.HasField("options_offered")]
        return {choice.key: choice.text for choice in offered[-1].choices} if offered else {}

    @property
    def waits_for(self) -> str | None:
        """What the session waits for: text, choice, form or ack; None when it is over."""
        waiting = [getattr(event.waiting, "for") for event in self.events if event.HasField("waiting")]
        return waiting[-1] if waiting and self.finished.status == "waiting_input" else None


class Conversation:
    """A conversation, to be entered with `async with`. One message at a time."""

    def __init__(self, stub, open_frame: sessions_pb2.Open, on_delta: Callable[[str], None] | None, patience: float):
        self._stub, self._open, self._on_delta, self._patience = stub, open_frame, on_delta, patience
        self._call = None
        self._turn = asyncio.Lock()
        #: The session; keep it to come back.
        self.session_id = ""
        #: The number of the last event that was seen; keep it to come back.
        self.last_seq = 0
        #: How the session stood when it was opened again; None for a new one.
        self.session: session_pb2.SessionView | None = None
        #: What the opening of a new session came to.
        self.opening: Turn | None = None
        #: The events that were missed, after `resume` with `after_seq`.
        self.missed: list[event_pb2.Event] = []

    async def __aenter__(self) -> "Conversation":
        if self._open.HasField("start"):
            opened = await self._connect(self._open)  # Not tried again: that would start another session.
            self.session_id = opened.session_id
            self.opening = await self._answer(None)
        else:
            resume = self._open.resume
            self.session_id = resume.session_id
            opened = await self._mending(lambda: self._connect(self._open))
            self.session = opened.session
            wants = resume.HasField("after_seq")
            self.last_seq = resume.after_seq if wants else opened.last_seq
            if wants:
                self.missed = await self._events_to(opened.last_seq)
        return self

    async def __aexit__(self, *_exc) -> None:
        if self._call is not None:
            self._call.cancel()

    async def say(self, text: str, *, message_id: str | None = None) -> Turn:
        """Says something. With the same `message_id` and text again it returns what came of it the first time."""
        message_id = message_id or _new_id()
        return await self._send(message_id, say=sessions_pb2.Say(client_message_id=message_id, text=text))

    async def choose(self, key: str, *, action: str | None = None, message_id: str | None = None) -> Turn:
        """Picks a choice."""
        message_id = message_id or _new_id()
        choose = sessions_pb2.Choose(client_message_id=message_id, action=action, key=key)
        return await self._send(message_id, choose=choose)

    async def acknowledge(self, *, message_id: str | None = None) -> Turn:
        """Takes notice."""
        message_id = message_id or _new_id()
        return await self._send(message_id, acknowledge=sessions_pb2.Acknowledge(client_message_id=message_id))

    async def request_human(self, *, message_id: str | None = None) -> Turn:
        """Calls for a human."""
        message_id = message_id or _new_id()
        return await self._send(message_id, request_human=sessions_pb2.RequestHuman(client_message_id=message_id))

    async def stop(self, *, message_id: str | None = None) -> Turn:
        """Stops the session."""
        message_id = message_id or _new_id()
        return await self._send(message_id, stop=sessions_pb2.Stop(client_message_id=message_id))

    async def _send(self, message_id: str, **frame) -> Turn:
        async with self._turn:
            return await self._answer(message_id, sessions_pb2.ClientFrame(**frame))

    async def _answer(self, message_id: str | None, frame: sessions_pb2.ClientFrame | None = None) -> Turn:
        """Sends a message and waits for its turn; mends the connection as often as patience lasts."""
        events: list[event_pb2.Event] = []

        async def once() -> Turn:
            if self._call is None:
                opened = await self._connect(_behind(self.session_id, self.last_seq))
                if frame is None:
                    events.extend(await self._events_to(opened.last_seq))
                    return Turn(_as_it_stands(opened), events)
            if frame is not None:
                await self._write(frame)
            while True:
                came = await self._read()
                if came.HasField("event"):
                    self._note(came.event, events)
                elif came.HasField("turn_finished") and came.turn_finished.client_message_id == (message_id or ""):
                    return Turn(came.turn_finished, events)
                elif came.HasField("turn_error") and came.turn_error.client_message_id == (message_id or ""):
                    raise of_status(came.turn_error.status)
                elif came.HasField("delta") and self._on_delta:
                    self._on_delta(came.delta.text)

        return await self._mending(once)

    async def _mending(self, attempt):
        """Tries again after what time can heal, until patience is over."""
        loop = asyncio.get_running_loop()
        until, wait = loop.time() + self._patience, _FIRST_WAIT
        while True:
            try:
                return await attempt()
            except SteersmanError as error:
                stream_is_over = self._call is None
                heals = error.is_lost_connection or error.reason in (_OPEN_AGAIN if stream_is_over else _SEND_AGAIN)
                if not heals or loop.time() + wait > until:
                    raise
            await asyncio.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT)

    async def _connect(self, open_frame: sessions_pb2.Open) -> sessions_pb2.Opened:
        self._call = self._stub.Converse()
        await self._write(sessions_pb2.ClientFrame(open=open_frame))
        return (await self._read()).opened

    async def _events_to(self, last_seq: int) -> list[event_pb2.Event]:
        events: list[event_pb2.Event] = []
        while self.last_seq < last_seq:
            came = await self._read()
            if came.HasField("event"):
                self._note(came.event, events)
        return events

    def _note(self, event: event_pb2.Event, events: list[event_pb2.Event]) -> None:
        if event.seq > self.last_seq:
            self.last_seq = event.seq
            events.append(event)

    async def _write(self, frame: sessions_pb2.ClientFrame) -> None:
        try:
            await self._call.write(frame)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._over()

    async def _read(self) -> sessions_pb2.ServerFrame:
        try:
            came = await self._call.read()
        except grpc.aio.AioRpcError as error:
            self._call = None
            raise of_call(error) from None
        if came is grpc.aio.EOF:
            await self._over()
        return came

    async def _over(self):
        call, self._call = self._call, None
        error = await of_ended(call)
        raise error or SteersmanError(grpc.StatusCode.UNAVAILABLE, "the server closed the conversation")


def _behind(session_id: str, last_seq: int) -> sessions_pb2.Open:
    return sessions_pb2.Open(resume=sessions_pb2.Resume(session_id=session_id, after_seq=last_seq))


def _as_it_stands(opened: sessions_pb2.Opened) -> sessions_pb2.TurnFinished:
    """The end of an opening whose own end was lost with the connection."""
    session = opened.session
    return sessions_pb2.TurnFinished(
        status=session.status, position=session.position, durable=True, first_seq=1, last_seq=opened.last_seq
    )


def _new_id() -> str:
    return str(uuid.uuid4())
