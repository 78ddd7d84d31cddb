import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Event(_message.Message):
    __slots__ = ("seq", "turn", "at", "session_started", "disclosed", "phase_entered", "phase_left", "topic_entered", "topic_finished", "action_started", "skipped", "picture_shown", "utterance", "round_started", "options_offered", "variable_declared", "variable_changed", "scope_closed", "exit_decided", "action_finished", "model_called", "issue", "handoff_requested", "waiting", "session_ended", "risk_scored", "route_changed", "risk_cleared", "reply_blocked")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    SESSION_STARTED_FIELD_NUMBER: _ClassVar[int]
    DISCLOSED_FIELD_NUMBER: _ClassVar[int]
    PHASE_ENTERED_FIELD_NUMBER: _ClassVar[int]
    PHASE_LEFT_FIELD_NUMBER: _ClassVar[int]
    TOPIC_ENTERED_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FINISHED_FIELD_NUMBER: _ClassVar[int]
    ACTION_STARTED_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    PICTURE_SHOWN_FIELD_NUMBER: _ClassVar[int]
    UTTERANCE_FIELD_NUMBER: _ClassVar[int]
    ROUND_STARTED_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_OFFERED_FIELD_NUMBER: _ClassVar[int]
    VARIABLE_DECLARED_FIELD_NUMBER: _ClassVar[int]
    VARIABLE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    SCOPE_CLOSED_FIELD_NUMBER: _ClassVar[int]
    EXIT_DECIDED_FIELD_NUMBER: _ClassVar[int]
    ACTION_FINISHED_FIELD_NUMBER: _ClassVar[int]
    MODEL_CALLED_FIELD_NUMBER: _ClassVar[int]
    ISSUE_FIELD_NUMBER: _ClassVar[int]
    HANDOFF_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    SESSION_ENDED_FIELD_NUMBER: _ClassVar[int]
    RISK_SCORED_FIELD_NUMBER: _ClassVar[int]
    ROUTE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    RISK_CLEARED_FIELD_NUMBER: _ClassVar[int]
    REPLY_BLOCKED_FIELD_NUMBER: _ClassVar[int]
    seq: int
    turn: int
    at: _timestamp_pb2.Timestamp
    session_started: SessionStarted
    disclosed: Disclosed
    phase_entered: PhaseEntered
    phase_left: PhaseLeft
    topic_entered: TopicEntered
    topic_finished: TopicFinished
    action_started: ActionStarted
    skipped: Skipped
    picture_shown: PictureShown
    utterance: Utterance
    round_started: RoundStarted
    options_offered: OptionsOffered
    variable_declared: VariableDeclared
    variable_changed: VariableChanged
    scope_closed: ScopeClosed
    exit_decided: ExitDecided
    action_finished: ActionFinished
    model_called: ModelCalled
    issue: Issue
    handoff_requested: HandoffRequested
    waiting: Waiting
    session_ended: SessionEnded
    risk_scored: RiskScored
    route_changed: RouteChanged
    risk_cleared: RiskCleared
    reply_blocked: ReplyBlocked
    def __init__(self, seq: _Optional[int] = ..., turn: _Optional[int] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., session_started: _Optional[_Union[SessionStarted, _Mapping]] = ..., disclosed: _Optional[_Union[Disclosed, _Mapping]] = ..., phase_entered: _Optional[_Union[PhaseEntered, _Mapping]] = ..., phase_left: _Optional[_Union[PhaseLeft, _Mapping]] = ..., topic_entered: _Optional[_Union[TopicEntered, _Mapping]] = ..., topic_finished: _Optional[_Union[TopicFinished, _Mapping]] = ..., action_started: _Optional[_Union[ActionStarted, _Mapping]] = ..., skipped: _Optional[_Union[Skipped, _Mapping]] = ..., picture_shown: _Optional[_Union[PictureShown, _Mapping]] = ..., utterance: _Optional[_Union[Utterance, _Mapping]] = ..., round_started: _Optional[_Union[RoundStarted, _Mapping]] = ..., options_offered: _Optional[_Union[OptionsOffered, _Mapping]] = ..., variable_declared: _Optional[_Union[VariableDeclared, _Mapping]] = ..., variable_changed: _Optional[_Union[VariableChanged, _Mapping]] = ..., scope_closed: _Optional[_Union[ScopeClosed, _Mapping]] = ..., exit_decided: _Optional[_Union[ExitDecided, _Mapping]] = ..., action_finished: _Optional[_Union[ActionFinished, _Mapping]] = ..., model_called: _Optional[_Union[ModelCalled, _Mapping]] = ..., issue: _Optional[_Union[Issue, _Mapping]] = ..., handoff_requested: _Optional[_Union[HandoffRequested, _Mapping]] = ..., waiting: _Optional[_Union[Waiting, _Mapping]] = ..., session_ended: _Optional[_Union[SessionEnded, _Mapping]] = ..., risk_scored: _Optional[_Union[RiskScored, _Mapping]] = ..., route_changed: _Optional[_Union[RouteChanged, _Mapping]] = ..., risk_cleared: _Optional[_Union[RiskCleared, _Mapping]] = ..., reply_blocked: _Optional[_Union[ReplyBlocked, _Mapping]] = ...) -> None: ...

class SessionStarted(_message.Message):
    __slots__ = ("session_id", "script", "version", "script_digest", "locale")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCRIPT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SCRIPT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    script: str
    version: str
    script_digest: str
    locale: str
    def __init__(self, session_id: _Optional[str] = ..., script: _Optional[str] = ..., version: _Optional[str] = ..., script_digest: _Optional[str] = ..., locale: _Optional[str] = ...) -> None: ...

class Disclosed(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class PhaseEntered(_message.Message):
    __slots__ = ("phase",)
    PHASE_FIELD_NUMBER: _ClassVar[int]
    phase: str
    def __init__(self, phase: _Optional[str] = ...) -> None: ...

class PhaseLeft(_message.Message):
    __slots__ = ("phase",)
    PHASE_FIELD_NUMBER: _ClassVar[int]
    phase: str
    def __init__(self, phase: _Optional[str] = ...) -> None: ...

class TopicEntered(_message.Message):
    __slots__ = ("phase", "topic", "plan")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    phase: str
    topic: str
    plan: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, phase: _Optional[str] = ..., topic: _Optional[str] = ..., plan: _Optional[_Iterable[str]] = ...) -> None: ...

class TopicFinished(_message.Message):
    __slots__ = ("topic", "attainment", "reason", "variables")
    class VariablesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    ATTAINMENT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_FIELD_NUMBER: _ClassVar[int]
    topic: str
    attainment: str
    reason: str
    variables: _containers.ScalarMap[str, str]
    def __init__(self, topic: _Optional[str] = ..., attainment: _Optional[str] = ..., reason: _Optional[str] = ..., variables: _Optional[_Mapping[str, str]] = ...) -> None: ...

class ActionStarted(_message.Message):
    __slots__ = ("action", "kind")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    action: str
    kind: str
    def __init__(self, action: _Optional[str] = ..., kind: _Optional[str] = ...) -> None: ...

class Skipped(_message.Message):
    __slots__ = ("path", "when")
    PATH_FIELD_NUMBER: _ClassVar[int]
    WHEN_FIELD_NUMBER: _ClassVar[int]
    path: str
    when: str
    def __init__(self, path: _Optional[str] = ..., when: _Optional[str] = ...) -> None: ...

class PictureShown(_message.Message):
    __slots__ = ("action", "url", "alt")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    ALT_FIELD_NUMBER: _ClassVar[int]
    action: str
    url: str
    alt: str
    def __init__(self, action: _Optional[str] = ..., url: _Optional[str] = ..., alt: _Optional[str] = ...) -> None: ...

class Utterance(_message.Message):
    __slots__ = ("id", "role", "text", "action", "source")
    ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    role: str
    text: str
    action: str
    source: str
    def __init__(self, id: _Optional[str] = ..., role: _Optional[str] = ..., text: _Optional[str] = ..., action: _Optional[str] = ..., source: _Optional[str] = ...) -> None: ...

class RoundStarted(_message.Message):
    __slots__ = ("action", "round", "max_rounds")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    MAX_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    action: str
    round: int
    max_rounds: int
    def __init__(self, action: _Optional[str] = ..., round: _Optional[int] = ..., max_rounds: _Optional[int] = ...) -> None: ...

class OptionsOffered(_message.Message):
    __slots__ = ("action", "choices")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    action: str
    choices: _containers.RepeatedCompositeFieldContainer[OfferedChoice]
    def __init__(self, action: _Optional[str] = ..., choices: _Optional[_Iterable[_Union[OfferedChoice, _Mapping]]] = ...) -> None: ...

class OfferedChoice(_message.Message):
    __slots__ = ("key", "text")
    KEY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    key: str
    text: str
    def __init__(self, key: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class VariableDeclared(_message.Message):
    __slots__ = ("name", "scope", "by", "value", "action")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    scope: str
    by: str
    value: _struct_pb2.Value
    action: str
    def __init__(self, name: _Optional[str] = ..., scope: _Optional[str] = ..., by: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., action: _Optional[str] = ...) -> None: ...

class VariableChanged(_message.Message):
    __slots__ = ("name", "scope", "operation", "value", "previous", "quality", "action")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    scope: str
    operation: str
    value: _struct_pb2.Value
    previous: _struct_pb2.Value
    quality: str
    action: str
    def __init__(self, name: _Optional[str] = ..., scope: _Optional[str] = ..., operation: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., previous: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., quality: _Optional[str] = ..., action: _Optional[str] = ...) -> None: ...

class ScopeClosed(_message.Message):
    __slots__ = ("scope", "path", "variables")
    class VariablesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _struct_pb2.Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_FIELD_NUMBER: _ClassVar[int]
    scope: str
    path: str
    variables: _containers.MessageMap[str, _struct_pb2.Value]
    def __init__(self, scope: _Optional[str] = ..., path: _Optional[str] = ..., variables: _Optional[_Mapping[str, _struct_pb2.Value]] = ...) -> None: ...

class ExitDecided(_message.Message):
    __slots__ = ("action", "round", "should_exit", "source", "reason", "evidence", "considered")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SHOULD_EXIT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    CONSIDERED_FIELD_NUMBER: _ClassVar[int]
    action: str
    round: int
    should_exit: bool
    source: str
    reason: str
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    considered: _containers.RepeatedCompositeFieldContainer[Considered]
    def __init__(self, action: _Optional[str] = ..., round: _Optional[int] = ..., should_exit: _Optional[bool] = ..., source: _Optional[str] = ..., reason: _Optional[str] = ..., evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ..., considered: _Optional[_Iterable[_Union[Considered, _Mapping]]] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("what", "operator", "expected", "actual", "met")
    WHAT_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    ACTUAL_FIELD_NUMBER: _ClassVar[int]
    MET_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    what: str
    operator: str
    expected: _struct_pb2.Value
    actual: _struct_pb2.Value
    met: bool
    def __init__(self, what: _Optional[str] = ..., operator: _Optional[str] = ..., expected: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., actual: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., met: _Optional[bool] = ..., **kwargs) -> None: ...

class Origin(_message.Message):
    __slots__ = ("turn", "place")
    TURN_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    turn: int
    place: str
    def __init__(self, turn: _Optional[int] = ..., place: _Optional[str] = ...) -> None: ...

class Considered(_message.Message):
    __slots__ = ("source", "enabled", "fired")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    FIRED_FIELD_NUMBER: _ClassVar[int]
    source: str
    enabled: bool
    fired: bool
    def __init__(self, source: _Optional[str] = ..., enabled: _Optional[bool] = ..., fired: _Optional[bool] = ...) -> None: ...

class ActionFinished(_message.Message):
    __slots__ = ("action", "group", "kind", "completed", "outcome", "outputs", "brief", "exit_source", "exit_reason", "progress", "blocked_by", "relevance", "cooperation", "emotion", "drift", "rounds")
    class OutputsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: OutputResult
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[OutputResult, _Mapping]] = ...) -> None: ...
    ACTION_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    BRIEF_FIELD_NUMBER: _ClassVar[int]
    EXIT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    EXIT_REASON_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_BY_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    COOPERATION_FIELD_NUMBER: _ClassVar[int]
    EMOTION_FIELD_NUMBER: _ClassVar[int]
    DRIFT_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    action: str
    group: str
    kind: str
    completed: bool
    outcome: str
    outputs: _containers.MessageMap[str, OutputResult]
    brief: str
    exit_source: str
    exit_reason: str
    progress: str
    blocked_by: str
    relevance: str
    cooperation: str
    emotion: Emotion
    drift: Drift
    rounds: int
    def __init__(self, action: _Optional[str] = ..., group: _Optional[str] = ..., kind: _Optional[str] = ..., completed: _Optional[bool] = ..., outcome: _Optional[str] = ..., outputs: _Optional[_Mapping[str, OutputResult]] = ..., brief: _Optional[str] = ..., exit_source: _Optional[str] = ..., exit_reason: _Optional[str] = ..., progress: _Optional[str] = ..., blocked_by: _Optional[str] = ..., relevance: _Optional[str] = ..., cooperation: _Optional[str] = ..., emotion: _Optional[_Union[Emotion, _Mapping]] = ..., drift: _Optional[_Union[Drift, _Mapping]] = ..., rounds: _Optional[int] = ...) -> None: ...

class OutputResult(_message.Message):
    __slots__ = ("value", "completeness")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    COMPLETENESS_FIELD_NUMBER: _ClassVar[int]
    value: _struct_pb2.Value
    completeness: str
    def __init__(self, value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., completeness: _Optional[str] = ...) -> None: ...

class Emotion(_message.Message):
    __slots__ = ("label", "intensity")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    INTENSITY_FIELD_NUMBER: _ClassVar[int]
    label: str
    intensity: float
    def __init__(self, label: _Optional[str] = ..., intensity: _Optional[float] = ...) -> None: ...

class Drift(_message.Message):
    __slots__ = ("valuable", "cause")
    VALUABLE_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    valuable: bool
    cause: str
    def __init__(self, valuable: _Optional[bool] = ..., cause: _Optional[str] = ...) -> None: ...

class ModelCalled(_message.Message):
    __slots__ = ("purpose", "action", "round", "model", "temperature", "tokens_in", "tokens_out", "latency_ms", "prompt_hash", "reply_hash", "attempt", "exit_text", "raw_exit", "prompt", "reply")
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_IN_FIELD_NUMBER: _ClassVar[int]
    TOKENS_OUT_FIELD_NUMBER: _ClassVar[int]
    LATENCY_MS_FIELD_NUMBER: _ClassVar[int]
    PROMPT_HASH_FIELD_NUMBER: _ClassVar[int]
    REPLY_HASH_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    EXIT_TEXT_FIELD_NUMBER: _ClassVar[int]
    RAW_EXIT_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    REPLY_FIELD_NUMBER: _ClassVar[int]
    purpose: str
    action: str
    round: int
    model: str
    temperature: float
    tokens_in: int
    tokens_out: int
    latency_ms: int
    prompt_hash: str
    reply_hash: str
    attempt: int
    exit_text: str
    raw_exit: str
    prompt: str
    reply: str
    def __init__(self, purpose: _Optional[str] = ..., action: _Optional[str] = ..., round: _Optional[int] = ..., model: _Optional[str] = ..., temperature: _Optional[float] = ..., tokens_in: _Optional[int] = ..., tokens_out: _Optional[int] = ..., latency_ms: _Optional[int] = ..., prompt_hash: _Optional[str] = ..., reply_hash: _Optional[str] = ..., attempt: _Optional[int] = ..., exit_text: _Optional[str] = ..., raw_exit: _Optional[str] = ..., prompt: _Optional[str] = ..., reply: _Optional[str] = ...) -> None: ...

class Issue(_message.Message):
    __slots__ = ("code", "message")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class RiskScored(_message.Message):
    __slots__ = ("utterance", "score", "floor", "unknown", "detector", "labels")
    UTTERANCE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    FLOOR_FIELD_NUMBER: _ClassVar[int]
    CLASS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    DETECTOR_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    utterance: str
    score: float
    floor: float
    unknown: str
    detector: str
    labels: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, utterance: _Optional[str] = ..., score: _Optional[float] = ..., floor: _Optional[float] = ..., unknown: _Optional[str] = ..., detector: _Optional[str] = ..., labels: _Optional[_Iterable[int]] = ..., **kwargs) -> None: ...

class RouteChanged(_message.Message):
    __slots__ = ("to", "rigid_score", "temperature", "source", "reason")
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    RIGID_SCORE_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    to: str
    rigid_score: float
    temperature: float
    source: str
    reason: str
    def __init__(self, to: _Optional[str] = ..., rigid_score: _Optional[float] = ..., temperature: _Optional[float] = ..., source: _Optional[str] = ..., reason: _Optional[str] = ..., **kwargs) -> None: ...

class RiskCleared(_message.Message):
    __slots__ = ("by", "reason")
    BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    by: str
    reason: str
    def __init__(self, by: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ReplyBlocked(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class HandoffRequested(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class Waiting(_message.Message):
    __slots__ = ("action",)
    FOR_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    action: str
    def __init__(self, action: _Optional[str] = ..., **kwargs) -> None: ...

class SessionEnded(_message.Message):
    __slots__ = ("status", "reason")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    status: str
    reason: str
    def __init__(self, status: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...
