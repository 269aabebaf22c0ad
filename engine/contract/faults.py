"""Named faults and notices: a kind with figures. The engine never phrases; the window does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Figure = int | float | str
"""A value that a sentence can show: a count, seconds, bytes, a name. The key says which."""


class FaultKind(StrEnum):
    """What went wrong, each with the figures that its sentence needs."""

    FILE_MISSING = "file_missing"  # path
    FILE_UNREADABLE = "file_unreadable"  # path, reason
    FILE_TRUNCATED = "file_truncated"  # path, size, expected (bytes)
    FILE_DAMAGED = "file_damaged"  # path, detail
    FORMAT_UNSUPPORTED = "format_unsupported"  # path, format
    PICKLE_REFUSED = "pickle_refused"  # path
    REMOTE_CODE_REFUSED = "remote_code_refused"  # path, detail
    ARCHITECTURE_UNKNOWN = "architecture_unknown"  # path, architecture
    QUANTIZATION_UNSUPPORTED = "quantization_unsupported"  # path, quantization
    TENSOR_MISSING = "tensor_missing"  # path, tensor
    TENSOR_SHAPE = "tensor_shape"  # path, tensor, shape, expected
    CONFIG_INVALID = "config_invalid"  # path, detail
    TOKENIZER_MISSING = "tokenizer_missing"  # path
    TOKENIZER_INVALID = "tokenizer_invalid"  # path, detail
    TEMPLATE_INVALID = "template_invalid"  # detail
    TEMPLATE_REFUSED = "template_refused"  # detail: the template's own raise_exception text
    MEMORY_SHORT = "memory_short"  # needed, free (bytes), context
    OUT_OF_MEMORY = "out_of_memory"  # needed, free (bytes), device
    NO_MODEL = "no_model"
    PROMPT_TOO_LONG = "prompt_too_long"  # tokens, context
    PROMPT_EMPTY = "prompt_empty"
    PROMPT_FORGOTTEN = "prompt_forgotten"  # of: it was read too long ago, or without traces
    SETTING_INVALID = "setting_invalid"  # name, value, allowed
    DEVICE_MISSING = "device_missing"  # device
    BUSY = "busy"  # waiting, limit
    DISK_FULL = "disk_full"  # path, needed, free (bytes)
    NETWORK_UNREACHABLE = "network_unreachable"  # host
    DOWNLOAD_REFUSED = "download_refused"  # address, status
    NETWORK_SLOW = "network_slow"  # host: alive, and next to nothing comes
    SERVER_BUSY = "server_busy"  # host, seconds: after which it wants to be asked again; 0 unsaid
    TOKEN_NEEDED = "token_needed"  # host, address: 401 without a token
    ACCESS_REFUSED = "access_refused"  # host, address: a gated model, or a token without the right
    FILE_GONE = "file_gone"  # address
    FILE_CHANGED = "file_changed"  # path, size, expected (bytes): another file than the hub lists
    HUB_UNREADABLE = "hub_unreadable"  # host, detail: its answer is not what this hub speaks
    NOTHING_TO_LOAD = "nothing_to_load"  # name: no GGUF and no safetensors in it
    HASH_MISMATCH = "hash_mismatch"  # path, expected, actual
    INTERNAL = "internal"  # detail: exception type, text and the innermost frame


@dataclass(frozen=True, slots=True)
class Fault:
    """A named fault with the figures that its sentence needs (see the comment beside each kind)."""

    kind: FaultKind
    figures: Mapping[str, Figure] = field(default_factory=dict)


class EngineError(Exception):
    """A known fault, raised anywhere below the service; bugs are raised bare instead."""

    def __init__(self, kind: FaultKind, **figures: Figure) -> None:
        self.fault = Fault(kind, figures)
        super().__init__(
            f"{kind}: " + ", ".join(f"{name}={value}" for name, value in figures.items())
        )


class NoticeKind(StrEnum):
    """Something that the user must be told although nothing failed."""

    TEMPLATE_MISSING = "template_missing"  # a plain fallback is in use
    SYSTEM_FOLDED = (
        "system_folded"  # the template refuses a system message; it leads the first question
    )
    TURNS_LEFT_OUT = "turns_left_out"  # turns, tokens: the oldest turns did not fit the context
    COMPATIBILITY_MODE = "compatibility_mode"  # architecture, reason: runs through transformers
    CONTEXT_REDUCED = (
        "context_reduced"  # wanted, context: the wanted context did not fit or is not supported
    )
    HEAD_TIED = "head_tied"  # the config says untied, the file has no head: the embedding serves
    CACHE_INEXACT = "cache_inexact"  # divergence: what the 8-bit cache costs, in nats a token
    KERNELS_SLOW = "kernels_slow"  # device, reason: its fast path cannot be used


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice with the figures that its sentence needs."""

    kind: NoticeKind
    figures: Mapping[str, Figure] = field(default_factory=dict)
