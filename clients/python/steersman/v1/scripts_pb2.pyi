import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CheckScriptRequest(_message.Message):
    __slots__ = ("source", "file")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    source: str
    file: str
    def __init__(self, source: _Optional[str] = ..., file: _Optional[str] = ...) -> None: ...

class CheckScriptResponse(_message.Message):
    __slots__ = ("defects", "bounds")
    DEFECTS_FIELD_NUMBER: _ClassVar[int]
    BOUNDS_FIELD_NUMBER: _ClassVar[int]
    defects: _containers.RepeatedCompositeFieldContainer[Defect]
    bounds: _struct_pb2.Struct
    def __init__(self, defects: _Optional[_Iterable[_Union[Defect, _Mapping]]] = ..., bounds: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Defect(_message.Message):
    __slots__ = ("file", "line", "column", "code", "severity", "message", "hint")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    column: int
    code: str
    severity: str
    message: str
    hint: str
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., column: _Optional[int] = ..., code: _Optional[str] = ..., severity: _Optional[str] = ..., message: _Optional[str] = ..., hint: _Optional[str] = ...) -> None: ...

class PublishScriptRequest(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: str
    def __init__(self, source: _Optional[str] = ...) -> None: ...

class PublishScriptResponse(_message.Message):
    __slots__ = ("script",)
    SCRIPT_FIELD_NUMBER: _ClassVar[int]
    script: Script
    def __init__(self, script: _Optional[_Union[Script, _Mapping]] = ...) -> None: ...

class Script(_message.Message):
    __slots__ = ("script_id", "version", "digest", "published_at")
    SCRIPT_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_AT_FIELD_NUMBER: _ClassVar[int]
    script_id: str
    version: str
    digest: str
    published_at: _timestamp_pb2.Timestamp
    def __init__(self, script_id: _Optional[str] = ..., version: _Optional[str] = ..., digest: _Optional[str] = ..., published_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetScriptRequest(_message.Message):
    __slots__ = ("script_id", "version")
    SCRIPT_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    script_id: str
    version: str
    def __init__(self, script_id: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class GetScriptResponse(_message.Message):
    __slots__ = ("script", "source")
    SCRIPT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    script: Script
    source: str
    def __init__(self, script: _Optional[_Union[Script, _Mapping]] = ..., source: _Optional[str] = ...) -> None: ...

class ListScriptsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListScriptsResponse(_message.Message):
    __slots__ = ("scripts", "next_page_token")
    SCRIPTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    scripts: _containers.RepeatedCompositeFieldContainer[Script]
    next_page_token: str
    def __init__(self, scripts: _Optional[_Iterable[_Union[Script, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...
