"""Errors in OpenAI's form, with the statuses that its clients know what to do with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.cli_words import fault_sentence
from engine.contract import Fault, FaultKind

CLIENT_GONE = 499
"""Not a status of the protocol: what a log says of a client that left."""

_STATUSES: Mapping[FaultKind, tuple[int, str | None]] = {
    FaultKind.PROMPT_TOO_LONG: (400, "context_length_exceeded"),
    FaultKind.PROMPT_EMPTY: (400, "prompt_empty"),
    FaultKind.SETTING_INVALID: (400, "invalid_value"),
    FaultKind.CONSTRAINT_INVALID: (400, "invalid_value"),
    FaultKind.TEMPLATE_REFUSED: (400, "template_refused"),
    FaultKind.INPUT_REFUSED: (400, "content_filter"),
    FaultKind.RULES_INVALID: (503, "rules_invalid"),
    FaultKind.POLICY_INVALID: (503, "policy_invalid"),
    FaultKind.AUDIT_UNWRITABLE: (503, "audit_unwritable"),
    FaultKind.BUSY: (429, "rate_limit_exceeded"),
    FaultKind.NO_MODEL: (503, "no_model"),
    FaultKind.OUT_OF_MEMORY: (503, "out_of_memory"),
}


class ApiError(Exception):
    """An answer that is an error.

    Args:
        status: of HTTP.
        message: one sentence for whoever reads the client's log.
        code: what programs look at.
        param: the field of the request that is meant.
        closes: whether the connection ends with the answer, because its body was not read.
    """

    def __init__(
        self,
        status: int,
        message: str,
        code: str | None = None,
        param: str | None = None,
        *,
        closes: bool = False,
    ) -> None:
        super().__init__(message)
        self.status, self.message = status, message
        self.code, self.param = code, param
        self.closes = closes

    def body(self) -> dict[str, Any]:
        """The error as OpenAI's clients expect it."""
        return {
            "error": {
                "message": self.message,
                "type": _type_of(self.status),
                "param": self.param,
                "code": self.code,
            }
        }

    def headers(self) -> dict[str, str]:
        """What the status asks for beside the body."""
        found = {"connection": "close"} if self.closes else {}
        if self.status == 429:
            found["retry-after"] = "1"
        if self.status == 401:
            found["www-authenticate"] = "Bearer"
        return found


def of_fault(fault: Fault) -> ApiError:
    """The engine's fault as an answer."""
    status, code = _STATUSES.get(fault.kind, (500, fault.kind.value))
    param = fault.figures.get("name") if fault.kind is FaultKind.SETTING_INVALID else None
    return ApiError(status, fault_sentence(fault), code, None if param is None else str(param))


def client_gone() -> ApiError:
    """Nobody reads this answer."""
    return ApiError(CLIENT_GONE, "The client left.", "client_gone")


def not_http(status: int, detail: str) -> ApiError:
    """What came is no request.

    Args:
        status: what the protocol's library suggests.
        detail: what is wrong with it, in the library's words.
    """
    if status == 431:
        return ApiError(431, "The headers are too long.", "headers_too_large")
    return ApiError(status, f"That is no valid HTTP request: {detail}.", "invalid_http")


def too_many_connections() -> ApiError:
    """There is no room for one more connection."""
    return ApiError(
        503, "Too many programs are connected; ask again.", "too_many_connections", closes=True
    )


def no_model() -> ApiError:
    """There is nothing that could answer."""
    return of_fault(Fault(FaultKind.NO_MODEL))


def model_gone() -> ApiError:
    """The model was replaced or unloaded while it answered."""
    return ApiError(503, "The model was unloaded while it answered; ask again.", "model_unloaded")


def prompt_too_long(tokens: int, context: int) -> ApiError:
    """The conversation does not fit: an API never leaves turns out in silence."""
    figures = {"tokens": tokens, "context": context}
    return of_fault(Fault(FaultKind.PROMPT_TOO_LONG, figures))


def _type_of(status: int) -> str:
    match status:
        case 401:
            return "authentication_error"
        case 403:
            return "permission_error"
        case 429:
            return "rate_limit_error"
        case _:
            return "server_error" if status >= 500 else "invalid_request_error"
