"""What the command line says: faults and notices as one English sentence with their figures.

A front end phrases, the engine does not; the window has its own words in its own languages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from engine.cli_sizes import sizes_text
from engine.contract import Fault, FaultKind, Figure, Notice, NoticeKind

_BYTE_FIGURES = frozenset({"needed", "free", "size", "expected", "kept"})
"""Sizes where they are whole numbers; what a hash or a shape was expected to be is text."""

_FAULTS: Mapping[FaultKind, str] = {
    FaultKind.FILE_MISSING: (
        "There is no file or folder {path}: check its name; `models` lists what is here."
    ),
    FaultKind.FILE_UNREADABLE: "{path} cannot be opened: {reason}.",
    FaultKind.FILE_TRUNCATED: "{path} is incomplete: it has {size}, but needs {expected}.",
    FaultKind.FILE_DAMAGED: "{path} is damaged: {detail}.",
    FaultKind.FORMAT_UNSUPPORTED: (
        "{path} is of the kind {format!r}; GGUF files and safetensors folders can be read."
    ),
    FaultKind.PICKLE_REFUSED: (
        "{path} is a pickled checkpoint, which could run any program when it is opened; "
        "use the safetensors or GGUF version of the model."
    ),
    FaultKind.REMOTE_CODE_REFUSED: (
        "{path} brings Python code of its own ({detail}), which is never run."
    ),
    FaultKind.ARCHITECTURE_UNKNOWN: (
        "{path} is a model of the architecture {architecture!r}, which this version cannot run."
    ),
    FaultKind.MODEL_WRITES_NOT: (
        "{path} compares, sorts or hears texts and writes none (an embedding, a classifier, a "
        "speech recogniser): choose a model for conversation."
    ),
    FaultKind.QUANTIZATION_UNSUPPORTED: (
        "{path} is quantized as {quantization}, which this version cannot read."
    ),
    FaultKind.TENSOR_MISSING: "{path} lacks the tensor {tensor}.",
    FaultKind.TENSOR_SHAPE: "{path}: the tensor {tensor} is {shape} and must be {expected}.",
    FaultKind.CONFIG_INVALID: "The configuration of {path} is invalid: {detail}.",
    FaultKind.TOKENIZER_MISSING: "{path} comes without a tokenizer.",
    FaultKind.TOKENIZER_INVALID: "The tokenizer of {path} is invalid: {detail}.",
    FaultKind.TEMPLATE_INVALID: "The model's chat template is invalid: {detail}.",
    FaultKind.TEMPLATE_REFUSED: "The model's chat template refuses this conversation: {detail}.",
    FaultKind.MEMORY_SHORT: (
        "The model needs {needed} with a context of {context} tokens, and {free} are free."
    ),
    FaultKind.OUT_OF_MEMORY: (
        "{device} ran out of memory: {needed} were asked for, {free} are free."
    ),
    FaultKind.NO_MODEL: "No model is loaded.",
    FaultKind.PROMPT_TOO_LONG: (
        "The prompt takes {tokens} tokens, and the context holds {context}: "
        "shorten it, or load the model with a longer --context."
    ),
    FaultKind.TEXT_EMPTY: (
        "{path} has no words in it: choose a text file of some pages, or none for the bundled ones."
    ),
    FaultKind.PROMPT_EMPTY: "The prompt is empty.",
    FaultKind.PROMPT_FORGOTTEN: "The prompt of request {of} is not kept any more.",
    FaultKind.CONSTRAINT_INVALID: "The reply cannot be held to this {form}: {detail}.",
    FaultKind.SETTING_INVALID: "{name} cannot be {value}; allowed: {allowed}.",
    FaultKind.DEVICE_MISSING: "There is no device {device} on this machine.",
    FaultKind.BUSY: "{waiting} requests are waiting already, and no more than {limit} may.",
    FaultKind.UNWRITABLE: "The system says: {reason} So {path} cannot be written.",
    FaultKind.NAME_TAKEN: "{path} is there already: choose another name, nothing is overwritten.",
    FaultKind.REMOVAL_REFUSED: "{path} cannot be removed: {reason}.",
    FaultKind.FOLDER_GONE: "The folder of {path} is not there any more.",
    FaultKind.DISK_FULL: "The disk of {path} has {free} left, and {needed} are needed.",
    FaultKind.NETWORK_UNREACHABLE: (
        "{host} cannot be reached: check the network and start again; what arrived is kept."
    ),
    FaultKind.DOWNLOAD_REFUSED: "{address} answered {status}.",
    FaultKind.NETWORK_SLOW: (
        "{host} sends next to nothing: what arrived is kept; "
        "try again later, or another --endpoint."
    ),
    FaultKind.SERVER_BUSY: (
        "{host} asks to be left alone for {seconds} seconds; "
        "start again later, what arrived is kept."
    ),
    FaultKind.TOKEN_NEEDED: (
        "{host} wants to know who asks: the model is private, asks for an agreement, or there is "
        "none of this name. Check the name, or set HF_TOKEN (or MODELSCOPE_API_TOKEN) to a token "
        "of yours."
    ),
    FaultKind.ACCESS_REFUSED: (
        "{host} refuses {address}: accept the model's terms on its page, and check that the token "
        "may read it."
    ),
    FaultKind.FETCHED_ALREADY: (
        "{name} is being fetched by another command: wait for it, or stop that one."
    ),
    FaultKind.FILE_GONE: "There is nothing at {address}: check the name, or choose another file.",
    FaultKind.CHOICE_MISSING: "{name} has no file {file}: choose with --file one of {offered}.",
    FaultKind.FILE_CHANGED: (
        "{path} has {size} instead of {expected}: it changed on the server; start again."
    ),
    FaultKind.TOKEN_REFUSED: (
        "{host} does not know the token that it was given: it may be mistyped or too old. Make a "
        "new one on that site."
    ),
    FaultKind.HUB_ADDRESS_INVALID: (
        "{address} is no address of a hub; https://hf-mirror.com is one: check the --endpoint."
    ),
    FaultKind.HUB_UNREADABLE: (
        "{host} does not answer like a model hub ({detail}): check the --endpoint."
    ),
    FaultKind.NOTHING_TO_LOAD: (
        "{name} has neither GGUF nor safetensors files, which are what can be read."
    ),
    FaultKind.ADDRESS_INVALID: (
        "{address} is no address of a server; http://localhost:11434/v1 is one."
    ),
    FaultKind.SERVER_UNREACHABLE: (
        "{host} does not answer: check that the server runs, and its address."
    ),
    FaultKind.SERVER_UNTRUSTED: (
        "{host} has a certificate that is not trusted ({detail}); --certificate names its own."
    ),
    FaultKind.CERTIFICATE_UNREADABLE: "{path} holds no certificate that can be read: {reason}.",
    FaultKind.PROXY_INVALID: (
        "{address} is no address of a proxy; http://proxy.example:3128 is one."
    ),
    FaultKind.PROXY_REFUSES: "The proxy does not lead to {host}: {detail}.",
    FaultKind.SERVER_SILENT: "{host} is connected, and said nothing for {seconds} seconds.",
    FaultKind.SERVER_BROKE_OFF: "{host} broke off in the middle of its reply; what came is kept.",
    FaultKind.SERVER_FOREIGN: (
        "{host} does not answer like an OpenAI-compatible server ({detail}): check the address."
    ),
    FaultKind.ENGINE_ENDED: (
        "The engine's process ended with status {status}; the model is loaded again when it is "
        "asked for."
    ),
    FaultKind.SERVER_GARBLED: (
        "{host} sent something in the middle of the reply that is no part of one ({detail})."
    ),
    FaultKind.SERVER_FAILED: "{host} failed with {status}: {detail}.",
    FaultKind.SERVER_REFUSED: "{host} refuses this request: {detail}.",
    FaultKind.SERVER_FORBIDS: "{host} does not allow this: {detail}.",
    FaultKind.SERVER_OVERLOADED: ("{host} asks to be left alone for {seconds} seconds: {detail}."),
    FaultKind.SERVER_MOVED: (
        "{host} sends to another address, which is not followed; if you trust it, use {address}."
    ),
    FaultKind.KEY_NEEDED: (
        "{host} wants a key: keep it in the keyring with `keys set`, or set INKSTONE_REMOTE_KEY."
    ),
    FaultKind.KEY_REFUSED: "{host} does not accept the key.",
    FaultKind.MODEL_GONE: "{host} has no model {model}: {detail}.",
    FaultKind.CONVERSATION_TOO_LONG: (
        "The conversation takes {tokens} tokens, and the context of {host} holds {context}: "
        "shorten it."
    ),
    FaultKind.OFFLINE: "{host} is not this computer, and nothing else may be asked offline.",
    FaultKind.ONLY_LOCALLY: "{host} does not tell that: it needs a model on this computer.",
    FaultKind.HASH_MISMATCH: (
        "{path} is not the file it should be (SHA-256 {actual}, expected {expected}); "
        "start again to fetch it anew."
    ),
    FaultKind.INPUT_REFUSED: (
        "What was asked is not allowed here: it meets the rule {rule} of the list {list}."
    ),
    FaultKind.OUTPUT_STOPPED: "The reply ended here: it met a rule of the list {list}.",
    FaultKind.RULES_INVALID: (
        "{path}, line {line}: {reason}. Until that is put right nothing is answered."
    ),
    FaultKind.POLICY_INVALID: (
        "The administrator's policy {path}, line {line}: {reason}. "
        "Until that is put right nothing is answered."
    ),
    FaultKind.AUDIT_UNWRITABLE: (
        "The audit log in {path} cannot be written: {reason}. Without it nothing is answered."
    ),
    FaultKind.RUNTIME_NO_DRIVER: "There is no NVIDIA GPU with a driver on this machine.",
    FaultKind.RUNTIME_NO_VARIANT: "No CUDA runtime is known for {platform}.",
    FaultKind.RUNTIME_DRIVER_OLD: (
        "The NVIDIA driver is {driver}, and the CUDA runtime needs {least} or newer."
    ),
    FaultKind.RUNTIME_GPU_OLD: (
        "{gpu} has the compute capability {capability}, and the CUDA runtime needs {least}."
    ),
    FaultKind.RUNTIME_FAILS: (
        "The CUDA runtime does not start here, so it is not used: {reason}. "
        "Its files are kept for another try; `runtime remove` frees their room."
    ),
    FaultKind.INTERNAL: "Something broke inside the engine: {detail}.",
}
_UNKNOWN: Mapping[FaultKind, tuple[str, str]] = {
    FaultKind.REMOVAL_REFUSED: ("reason", "{path} is not in our model folder: it is not removed."),
    FaultKind.DISK_FULL: (
        "needed",
        "The disk of {path} is full, {free} are left: make room; what was written is kept.",
    ),
    FaultKind.SERVER_BUSY: (
        "seconds",
        "{host} asks to be left alone for now; start again later, what arrived is kept.",
    ),
    FaultKind.SERVER_OVERLOADED: ("seconds", "{host} asks to be left alone for now: {detail}."),
    FaultKind.CONVERSATION_TOO_LONG: (
        "context",
        "The conversation is longer than the context of {host}: shorten it.",
    ),
}
"""A figure that a server did not tell (0), and the sentence without it."""

_MEMORY_SHORT = "This takes {needed} of memory, and {free} are free: close other programs."
"""Where no conversation is meant, and no context makes it less."""

_FORMAT_UNKNOWN = "{path} is no model: a GGUF file or a safetensors folder is needed."

_NOTICES: Mapping[NoticeKind, str] = {
    NoticeKind.TEMPLATE_MISSING: "The model has no chat template; a plain one is used.",
    NoticeKind.SYSTEM_FOLDED: (
        "The model's template has no place for a system message; it leads the first question."
    ),
    NoticeKind.TURNS_LEFT_OUT: (
        "The conversation is longer than the context: its first {turns} turns "
        "({tokens} tokens) were left out."
    ),
    NoticeKind.COMPATIBILITY_MODE: (
        "{architecture} runs in compatibility mode, through transformers: {reason}."
    ),
    NoticeKind.CONTEXT_REDUCED: "The context is {context} tokens instead of {wanted}.",
    NoticeKind.THREADS_REDUCED: (
        "{wanted} threads were asked for; this machine runs {threads} at once, and so many compute."
    ),
    NoticeKind.HEAD_TIED: "The model's file has no output head; its embedding serves as one.",
    NoticeKind.CACHE_INEXACT: (
        "This model does not bear an 8-bit cache: it costs {divergence} nats a token. "
        "Load it with 16 bits."
    ),
    NoticeKind.SETTINGS_LEFT_OUT: "{host} does not take these settings: {names}.",
    NoticeKind.SERVER_CUT: (
        "{host} read {tokens} tokens, and the conversation has at least {least}: "
        "it left out a part."
    ),
    NoticeKind.SERVER_FILTERED: "The content filter of {host} ended the reply.",
    NoticeKind.INPUT_MASKED: "{places} places of the question were blackened (list {list}).",
    NoticeKind.INPUT_WARNED: "{places} places of the question meet the list {list}.",
    NoticeKind.OUTPUT_MASKED: "{places} places of the reply were blackened (list {list}).",
    NoticeKind.OUTPUT_WARNED: "{places} places of the reply meet the list {list}.",
    NoticeKind.OUTPUT_STOPPED: "The reply ended here: it met a rule of the list {list}.",
    NoticeKind.RULES_INVALID: "{path}, line {line}: {reason}. This rule does not hold.",
    NoticeKind.RUNTIME_UNUSABLE: "The CUDA runtime is not used, it does not start: {reason}.",
    NoticeKind.KERNELS_SLOW: "The fast path of {device} cannot be used: {reason}.",
}


def fault_sentence(fault: Fault) -> str:
    """The fault in one sentence."""
    if fault.kind is FaultKind.MEMORY_SHORT and "context" not in fault.figures:
        return _sentence(_MEMORY_SHORT, fault.figures)
    if fault.kind is FaultKind.FORMAT_UNSUPPORTED and fault.figures.get("format") == "unknown":
        return _sentence(_FORMAT_UNKNOWN, fault.figures)
    figure, without = _UNKNOWN.get(fault.kind, ("", ""))
    form = without if without and not fault.figures.get(figure) else _FAULTS[fault.kind]
    return _sentence(form, fault.figures)


def fault_json(fault: Fault) -> str:
    """The fault for another program: its name, its figures, and the sentence."""
    said = {"fault": fault.kind.value, "figures": dict(fault.figures)}
    return json.dumps(said | {"sentence": fault_sentence(fault)}, ensure_ascii=False, default=str)


def notice_sentence(notice: Notice) -> str:
    """The notice in one sentence."""
    return _sentence(_NOTICES[notice.kind], notice.figures)


def _sentence(form: str, figures: Mapping[str, Figure]) -> str:
    shown = {n: f"{value:,}" if isinstance(value, int) else value for n, value in figures.items()}
    sizes = {n: v for n, v in figures.items() if n in _BYTE_FIGURES and isinstance(v, int)}
    shown |= sizes_text(sizes)
    if isinstance(detail := shown.get("detail"), str):  # a server's own sentence within ours
        shown["detail"] = detail.rstrip(".。 ")
    return form.format_map(_Named(shown))


class _Named(dict[str, Figure]):
    """Figures by name; one that a fault forgot is named instead of breaking the sentence."""

    def __missing__(self, key: str) -> str:
        return f"[{key}]"
