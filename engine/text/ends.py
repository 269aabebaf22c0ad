"""Where a reply ends, and how a model is sampled by default, gathered from all that a model says.

The end of a reply is a set of ids: what the configuration files name, what the template writes
after a turn, and the control tokens that are known to end one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from engine.contract import Message, Role, Sampling
from engine.text.control_tokens import ControlTokens

# control tokens by which models end a turn or a text
_KNOWN_ENDS = (
    *("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|im_end|>", "<|end|>", "<|return|>"),
    *("<|call|>", "<|endoftext|>", "<end_of_turn>", "<turn|>", "<|eot|>", "<|eom|>", "<EOT>"),
    *("</s>", "<eos>", "<|eos|>", "[EOS]", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>"),
    *("<|end_of_turn|>", "<|role_end|>", "<end_of_utterance>", "[|endofturn|]", "<|user|>"),
    *("<|observation|>",),
)
_GGUF_SAMPLING = {
    "temp": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "xtc_probability": "xtc_probability",
    "xtc_threshold": "xtc_threshold",
    "penalty_last_n": "penalty_window",
    "penalty_repeat": "repetition_penalty",
}
PROBE = (Message(Role.USER, "1"), Message(Role.ASSISTANT, "2"))
"""A conversation by which a template shows what it writes after a reply."""


def known_ends(control: ControlTokens) -> frozenset[int]:
    """Control tokens that end a turn by their name.

    In gpt-oss ``<|end|>`` only ends one of a reply's channels.
    """
    is_harmony = control.id("<|channel|>") is not None
    names = (name for name in _KNOWN_ENDS if not (is_harmony and name == "<|end|>"))
    return frozenset(id for name in names if (id := control.id(name)) is not None)


def configured_ends(*configurations: Mapping[str, Any]) -> set[int]:
    """``eos_token_id`` of each configuration: one id or a list of them."""
    found: set[int] = set()
    for configuration in configurations:
        value = configuration.get("eos_token_id")
        values = value if isinstance(value, Sequence) else [value]
        found.update(id for id in values if isinstance(id, int))
    return found


def gguf_ends(metadata: Mapping[str, Any]) -> set[int]:
    """The end ids that a GGUF file names."""
    names = ("eos_token_id", "eot_token_id", "eom_token_id")
    values = (metadata.get(f"tokenizer.ggml.{name}") for name in names)
    return {value for value in values if isinstance(value, int)}


def template_end(parts: Iterable[str | int]) -> int | None:
    """The control token with which a template's text after a reply begins."""
    for part in parts:
        if isinstance(part, int):
            return part
        if part.strip():
            return None
    return None


def generation_sampling(configuration: Mapping[str, Any]) -> Sampling:
    """Sampling by ``generation_config.json``; the contract's defaults where it says nothing."""
    return _sampling(_generation_values(configuration))


def gguf_sampling(metadata: Mapping[str, Any], configuration: Mapping[str, Any]) -> Sampling:
    """Sampling by GGUF's ``general.sampling.*``, else by the ``generation_config.json`` beside it.

    The contract's defaults hold where neither says anything.
    """
    prefix = "general.sampling."
    own = {ours: metadata.get(prefix + name) for name, ours in _GGUF_SAMPLING.items()}
    said = {name: value for name, value in own.items() if value is not None}
    return _sampling({**_generation_values(configuration), **said})


def _generation_values(configuration: Mapping[str, Any]) -> dict[str, Any]:
    known = {field.name for field in fields(Sampling)}
    names = known & {"temperature", "top_k", "top_p", "min_p", "typical_p", "repetition_penalty"}
    return {name: configuration.get(name) for name in names}


def _sampling(values: Mapping[str, Any]) -> Sampling:
    """The contract's defaults with the numbers among ``values``."""
    default = Sampling()
    found = {
        name: type(getattr(default, name))(value)
        for name, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    return replace(default, **found)
