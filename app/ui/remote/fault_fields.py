"""Which field of a remote model's form a fault is about."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from engine.contract import FaultKind


class Field(Enum):
    """What can be wrong in the form."""

    ADDRESS = auto()
    KEY = auto()
    MODEL = auto()
    CERTIFICATE = auto()
    PROXY = auto()


FIELD_OF: Mapping[FaultKind, Field] = {
    FaultKind.ADDRESS_INVALID: Field.ADDRESS,
    FaultKind.SERVER_FOREIGN: Field.ADDRESS,
    FaultKind.SERVER_MOVED: Field.ADDRESS,
    FaultKind.SERVER_UNREACHABLE: Field.ADDRESS,
    FaultKind.KEY_NEEDED: Field.KEY,
    FaultKind.KEY_REFUSED: Field.KEY,
    FaultKind.SERVER_FORBIDS: Field.KEY,
    FaultKind.MODEL_GONE: Field.MODEL,
    FaultKind.SERVER_UNTRUSTED: Field.CERTIFICATE,
    FaultKind.CERTIFICATE_UNREADABLE: Field.CERTIFICATE,
    FaultKind.PROXY_INVALID: Field.PROXY,
    FaultKind.PROXY_REFUSES: Field.PROXY,
}
