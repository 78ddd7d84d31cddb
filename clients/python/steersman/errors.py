"""Why a call or a message was refused, with the reason that programs can rely on."""

from __future__ import annotations

import grpc
from google.rpc import error_details_pb2, status_pb2

_DETAILS = "grpc-status-details-bin"


class SteersmanError(Exception):
    """A refusal. `reason` is one of the table in docs/grpc.md, or None where the connection itself failed."""

    def __init__(self, code: grpc.StatusCode, message: str, details: status_pb2.Status | None = None):
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason: str | None = None
        self.metadata: dict[str, str] = {}
        self.violations: dict[str, str] = {}
        self.retry_after: float | None = None
        for detail in details.details if details else ():
            self._read(detail)

    def _read(self, detail) -> None:
        info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            self.reason, self.metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(bad):
            self.violations = {violation.field: violation.description for violation in bad.field_violations}
        elif detail.Unpack(retry):
            self.retry_after = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.message}"

    @property
    def is_lost_connection(self) -> bool:
        """Whether nothing came from the server itself: the connection broke, or there was none."""
        broken = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)
        return self.reason is None and self.code in broken


def of_status(status: status_pb2.Status) -> SteersmanError:
    """The error of a status that came inside a frame."""
    code = next((code for code in grpc.StatusCode if code.value[0] == status.code), grpc.StatusCode.UNKNOWN)
    return SteersmanError(code, status.message, status)


def of_call(error: grpc.aio.AioRpcError) -> SteersmanError:
    """The error of a call that failed."""
    return _of(error.code(), error.details(), error.trailing_metadata())


async def of_ended(call) -> SteersmanError | None:
    """Why a stream is over; None if it came to its end."""
    code = await call.code()
    if code == grpc.StatusCode.OK:
        return None
    return _of(code, await call.details(), await call.trailing_metadata())


def _of(code, message, metadata) -> SteersmanError:
    details = None
    for key, value in metadata or ():
        if key == _DETAILS:
            details = status_pb2.Status.FromString(value)
    return SteersmanError(code, message or code.name, details)
