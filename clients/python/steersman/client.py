"""A connection to a server, and what it offers."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import grpc
from google.protobuf import json_format, struct_pb2

from .conversation import Conversation
from .errors import SteersmanError, of_call
from .v1 import decisions_pb2, decisions_pb2_grpc, scripts_pb2_grpc, session_pb2, sessions_pb2, sessions_pb2_grpc

#: A connection that is silent for this long is asked whether the server is still there, in milliseconds.
_KEEP_ALIVE_MS = 30_000


class Steersman:
    """A connection to a Steersman server. `target` is an address such as "127.0.0.1:7443".

    Speaks plain text unless `credentials` are given. The generated stubs are at hand as `sessions`, `scripts` and
    `decisions` for everything that has no method here.
    """

    def __init__(self, target: str, credentials: grpc.ChannelCredentials | None = None):
        options = [("grpc.keepalive_time_ms", _KEEP_ALIVE_MS)]
        if credentials is None:
            self._channel = grpc.aio.insecure_channel(target, options=options)
        else:
            self._channel = grpc.aio.secure_channel(target, credentials, options=options)
        self.sessions = sessions_pb2_grpc.SessionsStub(self._channel)
        self.scripts = scripts_pb2_grpc.ScriptsStub(self._channel)
        self.decisions = decisions_pb2_grpc.DecisionsStub(self._channel)

    async def __aenter__(self) -> "Steersman":
        return self

    async def __aexit__(self, *_exc) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection. Turns that were taken go on and are kept."""
        await self._channel.close()

    def start(
        self,
        script_id: str,
        *,
        version: str | None = None,
        subject_id: str | None = None,
        locale: str | None = None,
        country: str | None = None,
        variables: Mapping[str, Any] | None = None,
        on_delta: Callable[[str], None] | None = None,
        patience: float = 30.0,
    ) -> Conversation:
        """A conversation with a new session, to be entered with `async with`.

        `on_delta` is called with words while they arrive, for the eyes only. A lost connection is mended for
        `patience` seconds.
        """
        start = sessions_pb2.Start(
            script_id=script_id, version=version, subject_id=subject_id, locale=locale, country=country
        )
        for name, value in (variables or {}).items():
            json_format.ParseDict(value, start.variables[name])
        return Conversation(self.sessions, sessions_pb2.Open(start=start), on_delta, patience)

    def resume(
        self,
        session_id: str,
        *,
        after_seq: int | None = None,
        on_delta: Callable[[str], None] | None = None,
        patience: float = 30.0,
    ) -> Conversation:
        """A conversation with a session that is there. What came after the event `after_seq` is in `missed`."""
        resume = sessions_pb2.Resume(session_id=session_id, after_seq=after_seq)
        return Conversation(self.sessions, sessions_pb2.Open(resume=resume), on_delta, patience)

    async def session(self, session_id: str) -> session_pb2.SessionView:
        """How a session stands."""
        return await _call(self.sessions.GetSession(sessions_pb2.GetSessionRequest(session_id=session_id)))

    async def erase(self, session_id: str) -> None:
        """Erases what a session holds."""
        await _call(self.sessions.EraseSession(sessions_pb2.EraseSessionRequest(session_id=session_id)))

    async def decide(self, kind: str, case: str) -> str:
        """Takes one decision: JSON in, JSON out, as `steersman decide` does."""
        answer = await _call(self.decisions.Decide(decisions_pb2.DecideRequest(kind=kind, json=case)))
        return answer.json


async def _call(call):
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        raise of_call(error) from None


def value_of(value: struct_pb2.Value) -> Any:
    """A variable's value as plain Python."""
    return json_format.MessageToDict(value)


__all__ = ["Steersman", "SteersmanError", "value_of"]
