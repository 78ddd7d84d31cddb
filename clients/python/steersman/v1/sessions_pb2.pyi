import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.rpc import status_pb2 as _status_pb2
from steersman.v1 import event_pb2 as _event_pb2
from steersman.v1 import session_pb2 as _session_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ClientFrame(_message.Message):
    __slots__ = ("open", "say", "choose", "submit_form", "acknowledge", "request_human", "stop")
    OPEN_FIELD_NUMBER: _ClassVar[int]
    SAY_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_FIELD_NUMBER: _ClassVar[int]
    SUBMIT_FORM_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_HUMAN_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    open: Open
    say: Say
    choose: Choose
    submit_form: SubmitForm
    acknowledge: Acknowledge
    request_human: RequestHuman
    stop: Stop
    def __init__(self, open: _Optional[_Union[Open, _Mapping]] = ..., say: _Optional[_Union[Say, _Mapping]] = ..., choose: _Optional[_Union[Choose, _Mapping]] = ..., submit_form: _Optional[_Union[SubmitForm, _Mapping]] = ..., acknowledge: _Optional[_Union[Acknowledge, _Mapping]] = ..., request_human: _Optional[_Union[RequestHuman, _Mapping]] = ..., stop: _Optional[_Union[Stop, _Mapping]] = ...) -> None: ...

class Open(_message.Message):
    __slots__ = ("start", "resume")
    START_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    start: Start
    resume: Resume
    def __init__(self, start: _Optional[_Union[Start, _Mapping]] = ..., resume: _Optional[_Union[Resume, _Mapping]] = ...) -> None: ...

class Start(_message.Message):
    __slots__ = ("script_id", "version", "subject_id", "locale", "country", "variables")
    class VariablesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _struct_pb2.Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...
    SCRIPT_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_ID_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    COUNTRY_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_FIELD_NUMBER: _ClassVar[int]
    script_id: str
    version: str
    subject_id: str
    locale: str
    country: str
    variables: _containers.MessageMap[str, _struct_pb2.Value]
    def __init__(self, script_id: _Optional[str] = ..., version: _Optional[str] = ..., subject_id: _Optional[str] = ..., locale: _Optional[str] = ..., country: _Optional[str] = ..., variables: _Optional[_Mapping[str, _struct_pb2.Value]] = ...) -> None: ...

class Resume(_message.Message):
    __slots__ = ("session_id", "after_seq")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQ_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_seq: int
    def __init__(self, session_id: _Optional[str] = ..., after_seq: _Optional[int] = ...) -> None: ...

class Say(_message.Message):
    __slots__ = ("client_message_id", "text")
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    client_message_id: str
    text: str
    def __init__(self, client_message_id: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class Choose(_message.Message):
    __slots__ = ("client_message_id", "action", "key")
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    client_message_id: str
    action: str
    key: str
    def __init__(self, client_message_id: _Optional[str] = ..., action: _Optional[str] = ..., key: _Optional[str] = ...) -> None: ...

class SubmitForm(_message.Message):
    __slots__ = ("client_message_id", "form", "answers")
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    client_message_id: str
    form: str
    answers: _struct_pb2.Struct
    def __init__(self, client_message_id: _Optional[str] = ..., form: _Optional[str] = ..., answers: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Acknowledge(_message.Message):
    __slots__ = ("client_message_id",)
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    client_message_id: str
    def __init__(self, client_message_id: _Optional[str] = ...) -> None: ...

class RequestHuman(_message.Message):
    __slots__ = ("client_message_id",)
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    client_message_id: str
    def __init__(self, client_message_id: _Optional[str] = ...) -> None: ...

class Stop(_message.Message):
    __slots__ = ("client_message_id", "reason")
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    client_message_id: str
    reason: str
    def __init__(self, client_message_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ServerFrame(_message.Message):
    __slots__ = ("opened", "delta", "retracted", "event", "turn_finished", "turn_error", "draining")
    OPENED_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    RETRACTED_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    TURN_FINISHED_FIELD_NUMBER: _ClassVar[int]
    TURN_ERROR_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    opened: Opened
    delta: Delta
    retracted: Retracted
    event: _event_pb2.Event
    turn_finished: TurnFinished
    turn_error: TurnError
    draining: Draining
    def __init__(self, opened: _Optional[_Union[Opened, _Mapping]] = ..., delta: _Optional[_Union[Delta, _Mapping]] = ..., retracted: _Optional[_Union[Retracted, _Mapping]] = ..., event: _Optional[_Union[_event_pb2.Event, _Mapping]] = ..., turn_finished: _Optional[_Union[TurnFinished, _Mapping]] = ..., turn_error: _Optional[_Union[TurnError, _Mapping]] = ..., draining: _Optional[_Union[Draining, _Mapping]] = ...) -> None: ...

class Opened(_message.Message):
    __slots__ = ("session_id", "session", "last_seq")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    session: _session_pb2.SessionView
    last_seq: int
    def __init__(self, session_id: _Optional[str] = ..., session: _Optional[_Union[_session_pb2.SessionView, _Mapping]] = ..., last_seq: _Optional[int] = ...) -> None: ...

class Delta(_message.Message):
    __slots__ = ("utterance_id", "text")
    UTTERANCE_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    utterance_id: str
    text: str
    def __init__(self, utterance_id: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class Retracted(_message.Message):
    __slots__ = ("utterance_id",)
    UTTERANCE_ID_FIELD_NUMBER: _ClassVar[int]
    utterance_id: str
    def __init__(self, utterance_id: _Optional[str] = ...) -> None: ...

class TurnFinished(_message.Message):
    __slots__ = ("client_message_id", "status", "position", "exit_reason", "exit_decision_source", "durable", "served_by", "first_seq", "last_seq")
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    EXIT_REASON_FIELD_NUMBER: _ClassVar[int]
    EXIT_DECISION_SOURCE_FIELD_NUMBER: _ClassVar[int]
    DURABLE_FIELD_NUMBER: _ClassVar[int]
    SERVED_BY_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    client_message_id: str
    status: str
    position: _session_pb2.Position
    exit_reason: str
    exit_decision_source: str
    durable: bool
    served_by: str
    first_seq: int
    last_seq: int
    def __init__(self, client_message_id: _Optional[str] = ..., status: _Optional[str] = ..., position: _Optional[_Union[_session_pb2.Position, _Mapping]] = ..., exit_reason: _Optional[str] = ..., exit_decision_source: _Optional[str] = ..., durable: _Optional[bool] = ..., served_by: _Optional[str] = ..., first_seq: _Optional[int] = ..., last_seq: _Optional[int] = ...) -> None: ...

class TurnError(_message.Message):
    __slots__ = ("client_message_id", "status")
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    client_message_id: str
    status: _status_pb2.Status
    def __init__(self, client_message_id: _Optional[str] = ..., status: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class Draining(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StartSessionRequest(_message.Message):
    __slots__ = ("start",)
    START_FIELD_NUMBER: _ClassVar[int]
    start: Start
    def __init__(self, start: _Optional[_Union[Start, _Mapping]] = ...) -> None: ...

class StartSessionResponse(_message.Message):
    __slots__ = ("session_id", "opening")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    OPENING_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    opening: TurnResult
    def __init__(self, session_id: _Optional[str] = ..., opening: _Optional[_Union[TurnResult, _Mapping]] = ...) -> None: ...

class SubmitTurnRequest(_message.Message):
    __slots__ = ("session_id", "client_message_id", "say", "choose", "submit_form", "acknowledge", "request_human", "stop")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SAY_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_FIELD_NUMBER: _ClassVar[int]
    SUBMIT_FORM_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_HUMAN_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    client_message_id: str
    say: str
    choose: Choice
    submit_form: FormAnswers
    acknowledge: Acknowledgement
    request_human: HumanRequest
    stop: StopRequest
    def __init__(self, session_id: _Optional[str] = ..., client_message_id: _Optional[str] = ..., say: _Optional[str] = ..., choose: _Optional[_Union[Choice, _Mapping]] = ..., submit_form: _Optional[_Union[FormAnswers, _Mapping]] = ..., acknowledge: _Optional[_Union[Acknowledgement, _Mapping]] = ..., request_human: _Optional[_Union[HumanRequest, _Mapping]] = ..., stop: _Optional[_Union[StopRequest, _Mapping]] = ...) -> None: ...

class Choice(_message.Message):
    __slots__ = ("action", "key")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    action: str
    key: str
    def __init__(self, action: _Optional[str] = ..., key: _Optional[str] = ...) -> None: ...

class FormAnswers(_message.Message):
    __slots__ = ("form", "answers")
    FORM_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    form: str
    answers: _struct_pb2.Struct
    def __init__(self, form: _Optional[str] = ..., answers: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Acknowledgement(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HumanRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StopRequest(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class TurnResult(_message.Message):
    __slots__ = ("turn_finished", "utterances", "first_seq", "last_seq")
    TURN_FINISHED_FIELD_NUMBER: _ClassVar[int]
    UTTERANCES_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    turn_finished: TurnFinished
    utterances: _containers.RepeatedCompositeFieldContainer[_event_pb2.Utterance]
    first_seq: int
    last_seq: int
    def __init__(self, turn_finished: _Optional[_Union[TurnFinished, _Mapping]] = ..., utterances: _Optional[_Iterable[_Union[_event_pb2.Utterance, _Mapping]]] = ..., first_seq: _Optional[int] = ..., last_seq: _Optional[int] = ...) -> None: ...

class WatchSessionRequest(_message.Message):
    __slots__ = ("session_id", "after_seq")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQ_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_seq: int
    def __init__(self, session_id: _Optional[str] = ..., after_seq: _Optional[int] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("subject_id", "status", "script_id", "page_size", "page_token")
    SUBJECT_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    SCRIPT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    subject_id: str
    status: str
    script_id: str
    page_size: int
    page_token: str
    def __init__(self, subject_id: _Optional[str] = ..., status: _Optional[str] = ..., script_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[SessionSummary]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[SessionSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class SessionSummary(_message.Message):
    __slots__ = ("session_id", "script_id", "version", "subject_id", "status", "turns", "created_at", "updated_at")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCRIPT_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    script_id: str
    version: str
    subject_id: str
    status: str
    turns: int
    created_at: _timestamp_pb2.Timestamp
    updated_at: _timestamp_pb2.Timestamp
    def __init__(self, session_id: _Optional[str] = ..., script_id: _Optional[str] = ..., version: _Optional[str] = ..., subject_id: _Optional[str] = ..., status: _Optional[str] = ..., turns: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetTranscriptRequest(_message.Message):
    __slots__ = ("session_id", "after_seq", "limit")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_seq: int
    limit: int
    def __init__(self, session_id: _Optional[str] = ..., after_seq: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class GetTranscriptResponse(_message.Message):
    __slots__ = ("lines", "has_more")
    LINES_FIELD_NUMBER: _ClassVar[int]
    HAS_MORE_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[TranscriptLine]
    has_more: bool
    def __init__(self, lines: _Optional[_Iterable[_Union[TranscriptLine, _Mapping]]] = ..., has_more: _Optional[bool] = ...) -> None: ...

class TranscriptLine(_message.Message):
    __slots__ = ("seq", "turn", "at", "utterance")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    UTTERANCE_FIELD_NUMBER: _ClassVar[int]
    seq: int
    turn: int
    at: _timestamp_pb2.Timestamp
    utterance: _event_pb2.Utterance
    def __init__(self, seq: _Optional[int] = ..., turn: _Optional[int] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., utterance: _Optional[_Union[_event_pb2.Utterance, _Mapping]] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("session_id", "after_seq", "limit")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_seq: int
    limit: int
    def __init__(self, session_id: _Optional[str] = ..., after_seq: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events", "has_more")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    HAS_MORE_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    has_more: bool
    def __init__(self, events: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping]]] = ..., has_more: _Optional[bool] = ...) -> None: ...

class EndSessionRequest(_message.Message):
    __slots__ = ("session_id", "client_message_id", "reason")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    client_message_id: str
    reason: str
    def __init__(self, session_id: _Optional[str] = ..., client_message_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ExportSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class ExportSessionResponse(_message.Message):
    __slots__ = ("chunk",)
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    def __init__(self, chunk: _Optional[bytes] = ...) -> None: ...

class EraseSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class EraseSessionResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ClearRiskRequest(_message.Message):
    __slots__ = ("session_id", "reason", "by", "client_message_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    reason: str
    by: str
    client_message_id: str
    def __init__(self, session_id: _Optional[str] = ..., reason: _Optional[str] = ..., by: _Optional[str] = ..., client_message_id: _Optional[str] = ...) -> None: ...
