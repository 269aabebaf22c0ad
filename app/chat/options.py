"""What holds for one chat alone: its instructions, its sampling, whether it thinks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from engine.contract import Sampling, SamplingOrder, Thinking


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Defaults mean "as the settings and the model have it"."""

    system: str = ""
    thinking: Thinking | None = None
    sampling: Sampling | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    schema: str = ""  # JSON schema that every answer has to match
    template: str = ""  # in place of the model's own: a name of ours, or Jinja text


def options_text(options: ChatOptions) -> str:
    """Return options as the store keeps them: JSON of what differs from the defaults."""
    kept = {name: value for name, value in asdict(options).items() if value not in (None, "", ())}
    return json.dumps(kept) if kept else ""


def options_of(text: str) -> ChatOptions:
    """Read options; what is unknown or of a wrong type is its default."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return ChatOptions()
    if not isinstance(value, dict):
        return ChatOptions()
    system, tokens = value.get("system"), value.get("max_tokens")
    stop, schema = value.get("stop"), value.get("schema")
    template = value.get("template")
    return ChatOptions(
        system=system if isinstance(system, str) else "",
        thinking=thinking_of(value.get("thinking")),
        sampling=_sampling_of(value.get("sampling")),
        max_tokens=tokens if type(tokens) is int and tokens > 0 else None,
        stop=tuple(each for each in stop if isinstance(each, str))
        if isinstance(stop, list)
        else (),
        schema=schema if isinstance(schema, str) else "",
        template=template if isinstance(template, str) else "",
    )


def thinking_of(value: object) -> Thinking | None:
    """Read a thinking mode, or None for anything that is none."""
    return next((each for each in Thinking if each.value == value), None)


def _sampling_of(value: object) -> Sampling | None:
    if not isinstance(value, Mapping):
        return None
    known = {}
    for field in fields(Sampling):
        if field.name in value and (read := _setting(field.name, value[field.name])) is not None:
            known[field.name] = read
    return Sampling(**known)


def _setting(name: str, value: object) -> Any:
    """Return a sampling value in its field's type, or None for one of another type."""
    default = getattr(Sampling(), name)
    match default:
        case SamplingOrder():
            return next((each for each in SamplingOrder if each.value == value), None)
        case None:  # the seed
            return value if type(value) is int else None
        case float():
            return float(value) if type(value) in {int, float} else None  # type: ignore[arg-type]
        case tuple():
            return _tuple(name, value)
        case _:
            return value if type(value) is type(default) else None


def _tuple(name: str, value: object) -> Any:
    if not isinstance(value, list):
        return None
    if name == "logit_bias":
        return tuple((item[0], float(item[1])) for item in value if _is_bias(item))
    return tuple(item for item in value if isinstance(item, str))


def _is_bias(item: object) -> bool:
    return (
        isinstance(item, list)
        and len(item) == 2
        and type(item[0]) is int
        and type(item[1]) in {int, float}
    )
