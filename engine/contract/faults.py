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
    REMOVAL_REFUSED = "removal_refused"  # path, reason ("": it is not ours)
    FILE_TRUNCATED = "file_truncated"  # path, size, expected (bytes)
    FILE_DAMAGED = "file_damaged"  # path, detail
    FORMAT_UNSUPPORTED = "format_unsupported"  # path, format
    PICKLE_REFUSED = "pickle_refused"  # path
    REMOTE_CODE_REFUSED = "remote_code_refused"  # path, detail
    ARCHITECTURE_UNKNOWN = "architecture_unknown"  # path, architecture
    MODEL_WRITES_NOT = "model_writes_not"  # path: an embedding, a classifier, speech to text
    QUANTIZATION_UNSUPPORTED = "quantization_unsupported"  # path, quantization
    TENSOR_MISSING = "tensor_missing"  # path, tensor
    TENSOR_SHAPE = "tensor_shape"  # path, tensor, shape, expected
    CONFIG_INVALID = "config_invalid"  # path, detail
    TOKENIZER_MISSING = "tokenizer_missing"  # path
    TOKENIZER_INVALID = "tokenizer_invalid"  # path, detail
    TEMPLATE_INVALID = "template_invalid"  # detail; flaw, line, words
    TEMPLATE_REFUSED = "template_refused"  # detail: the template's own raise_exception text
    MEMORY_SHORT = "memory_short"  # needed, free (bytes), context: unsaid of a copy
    OUT_OF_MEMORY = "out_of_memory"  # needed, free (bytes), device
    NO_MODEL = "no_model"
    PROMPT_TOO_LONG = "prompt_too_long"  # tokens, context
    PROMPT_EMPTY = "prompt_empty"
    PROMPT_FORGOTTEN = "prompt_forgotten"  # of: it was read too long ago, or without traces
    TEXT_EMPTY = "text_empty"  # path: a calibration text without words
    SETTING_INVALID = "setting_invalid"  # name, value, allowed
    CONSTRAINT_INVALID = "constraint_invalid"  # form, detail: what is wrong with it
    DEVICE_MISSING = "device_missing"  # device
    BUSY = "busy"  # waiting, limit
    DISK_FULL = "disk_full"  # path, needed, free, kept (bytes; what goes on)
    UNWRITABLE = "unwritable"  # path, reason: the system does not let it be written
    NAME_TAKEN = "name_taken"  # path: something else is there already
    FOLDER_GONE = "folder_gone"  # path: it was there, or its disk was
    NETWORK_UNREACHABLE = "network_unreachable"  # host
    DOWNLOAD_REFUSED = "download_refused"  # address, status
    NETWORK_SLOW = "network_slow"  # host: alive, and next to nothing comes
    SERVER_BUSY = "server_busy"  # host, seconds: after which it wants to be asked again; 0 unsaid
    TOKEN_NEEDED = "token_needed"  # host, address: 401 without a token
    ACCESS_REFUSED = "access_refused"  # host, address: a gated model, or a token without the right
    FETCHED_ALREADY = "fetched_already"  # name: another program is at it
    FILE_GONE = "file_gone"  # address
    CHOICE_MISSING = "choice_missing"  # name, file, offered: the model has no such file, but these
    FILE_CHANGED = "file_changed"  # path, size, expected (bytes): another file than the hub lists
    TOKEN_REFUSED = "token_refused"  # host: it does not know the token that it was given
    HUB_ADDRESS_INVALID = "hub_address_invalid"  # address: of a mirror, and it is none
    HUB_UNREADABLE = "hub_unreadable"  # host, detail: its answer is not what this hub speaks
    NOTHING_TO_LOAD = "nothing_to_load"  # name: no GGUF and no safetensors in it
    ADDRESS_INVALID = "address_invalid"  # address: of a server
    SERVER_UNREACHABLE = "server_unreachable"  # host
    SERVER_UNTRUSTED = "server_untrusted"  # host, detail: its certificate
    CERTIFICATE_UNREADABLE = "certificate_unreadable"  # path, reason: a server's own authority
    PROXY_INVALID = "proxy_invalid"  # address
    PROXY_REFUSES = "proxy_refuses"  # host, detail
    SERVER_SILENT = "server_silent"  # host, seconds: connected, and nothing came for so long
    SERVER_BROKE_OFF = "server_broke_off"  # host: in the middle of a reply
    SERVER_GARBLED = "server_garbled"  # host, detail: in the middle of a reply, no part of one
    SERVER_FOREIGN = "server_foreign"  # host, detail: no OpenAI-compatible answer
    SERVER_FAILED = "server_failed"  # host, status, detail
    SERVER_REFUSED = "server_refused"  # host, detail: the request, in the server's own words
    SERVER_FORBIDS = "server_forbids"  # host, detail: 403
    SERVER_OVERLOADED = "server_overloaded"  # host, seconds (0: unsaid), detail: 429
    SERVER_MOVED = "server_moved"  # host, address: redirects are not followed
    KEY_NEEDED = "key_needed"  # host
    KEY_REFUSED = "key_refused"  # host
    MODEL_GONE = "model_gone"  # host, model, detail
    CONVERSATION_TOO_LONG = "conversation_too_long"  # host, tokens, context; 0: unsaid
    OFFLINE = "offline"  # host: it is not on this computer
    ONLY_LOCALLY = "only_locally"  # host: what a server does not tell of its model
    HASH_MISMATCH = "hash_mismatch"  # path, expected, actual
    INPUT_REFUSED = "input_refused"  # rule, list: what is asked may not be asked
    OUTPUT_STOPPED = "output_stopped"  # rule, list: the reply met a rule and ended there
    RULES_INVALID = "rules_invalid"  # path, line, reason: a rule file, where all must be right
    POLICY_INVALID = "policy_invalid"  # path, line, reason: the administrator's file
    AUDIT_UNWRITABLE = "audit_unwritable"  # path, reason
    RUNTIME_NO_DRIVER = "runtime_no_driver"
    RUNTIME_NO_VARIANT = "runtime_no_variant"  # platform
    RUNTIME_DRIVER_OLD = "runtime_driver_old"  # driver, least: versions
    RUNTIME_GPU_OLD = "runtime_gpu_old"  # gpu, capability, least
    RUNTIME_FAILS = "runtime_fails"  # reason: downloaded, and torch does not start from it
    ENGINE_ENDED = "engine_ended"  # status: of its process; what was loaded is gone
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
    THREADS_REDUCED = "threads_reduced"  # wanted, threads: more were asked for than can run at once
    HEAD_TIED = "head_tied"  # the config says untied, the file has no head: the embedding serves
    CACHE_INEXACT = "cache_inexact"  # divergence: what the 8-bit cache costs, in nats a token
    SETTINGS_LEFT_OUT = "settings_left_out"  # host, names: this server does not take them
    SERVER_CUT = "server_cut"  # host, tokens, least: it read fewer tokens than the conversation has
    SERVER_FILTERED = "server_filtered"  # host: its content filter ended the reply
    KERNELS_SLOW = "kernels_slow"  # device, reason: its fast path cannot be used
    INPUT_MASKED = "input_masked"  # list, places: of the question
    INPUT_WARNED = "input_warned"  # list, places
    OUTPUT_MASKED = "output_masked"  # list, places: of the reply
    OUTPUT_WARNED = "output_warned"  # list, places
    OUTPUT_STOPPED = "output_stopped"  # list, rule: the reply ended here
    RULES_INVALID = "rules_invalid"  # path, line, reason: this rule does not hold
    RUNTIME_UNUSABLE = "runtime_unusable"  # reason: the CUDA runtime is there and out of use


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice with the figures that its sentence needs."""

    kind: NoticeKind
    figures: Mapping[str, Figure] = field(default_factory=dict)
