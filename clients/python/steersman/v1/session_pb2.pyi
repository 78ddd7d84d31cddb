import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from steersman.v1 import event_pb2 as _event_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SessionView(_message.Message):
    __slots__ = ("session_id", "subject", "script", "locale", "status", "position", "variables", "variable_operations", "scope_snapshots", "last_round", "exit_history", "plan", "attainments", "control", "usage")
    class VariablesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: ScopeView
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[ScopeView, _Mapping]] = ...) -> None: ...
    class AttainmentsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    SCRIPT_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_FIELD_NUMBER: _ClassVar[int]
    VARIABLE_OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    SCOPE_SNAPSHOTS_FIELD_NUMBER: _ClassVar[int]
    LAST_ROUND_FIELD_NUMBER: _ClassVar[int]
    EXIT_HISTORY_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    ATTAINMENTS_FIELD_NUMBER: _ClassVar[int]
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    subject: str
    script: ScriptRef
    locale: str
    status: str
    position: Position
    variables: _containers.MessageMap[str, ScopeView]
    variable_operations: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    scope_snapshots: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    last_round: _struct_pb2.Struct
    exit_history: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    plan: _struct_pb2.Struct
    attainments: _containers.ScalarMap[str, str]
    control: _struct_pb2.Struct
    usage: Usage
    def __init__(self, session_id: _Optional[str] = ..., subject: _Optional[str] = ..., script: _Optional[_Union[ScriptRef, _Mapping]] = ..., locale: _Optional[str] = ..., status: _Optional[str] = ..., position: _Optional[_Union[Position, _Mapping]] = ..., variables: _Optional[_Mapping[str, ScopeView]] = ..., variable_operations: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping]]] = ..., scope_snapshots: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping]]] = ..., last_round: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., exit_history: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ..., plan: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., attainments: _Optional[_Mapping[str, str]] = ..., control: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ...) -> None: ...

class ScriptRef(_message.Message):
    __slots__ = ("id", "version", "digest")
    ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    version: str
    digest: str
    def __init__(self, id: _Optional[str] = ..., version: _Optional[str] = ..., digest: _Optional[str] = ...) -> None: ...

class Position(_message.Message):
    __slots__ = ("phase", "topic", "action", "round", "max_rounds")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    MAX_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    phase: str
    topic: str
    action: str
    round: int
    max_rounds: int
    def __init__(self, phase: _Optional[str] = ..., topic: _Optional[str] = ..., action: _Optional[str] = ..., round: _Optional[int] = ..., max_rounds: _Optional[int] = ...) -> None: ...

class ScopeView(_message.Message):
    __slots__ = ("variables",)
    class VariablesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: VariableView
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[VariableView, _Mapping]] = ...) -> None: ...
    VARIABLES_FIELD_NUMBER: _ClassVar[int]
    variables: _containers.MessageMap[str, VariableView]
    def __init__(self, variables: _Optional[_Mapping[str, VariableView]] = ...) -> None: ...

class VariableView(_message.Message):
    __slots__ = ("value", "kind", "source", "updated_at", "quality")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    value: _struct_pb2.Value
    kind: str
    source: VariableSource
    updated_at: _timestamp_pb2.Timestamp
    quality: str
    def __init__(self, value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., kind: _Optional[str] = ..., source: _Optional[_Union[VariableSource, _Mapping]] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., quality: _Optional[str] = ...) -> None: ...

class VariableSource(_message.Message):
    __slots__ = ("action", "turn")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    action: str
    turn: int
    def __init__(self, action: _Optional[str] = ..., turn: _Optional[int] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("turns", "model_calls", "tokens_in", "tokens_out")
    TURNS_FIELD_NUMBER: _ClassVar[int]
    MODEL_CALLS_FIELD_NUMBER: _ClassVar[int]
    TOKENS_IN_FIELD_NUMBER: _ClassVar[int]
    TOKENS_OUT_FIELD_NUMBER: _ClassVar[int]
    turns: int
    model_calls: int
    tokens_in: int
    tokens_out: int
    def __init__(self, turns: _Optional[int] = ..., model_calls: _Optional[int] = ..., tokens_in: _Optional[int] = ..., tokens_out: _Optional[int] = ...) -> None: ...
