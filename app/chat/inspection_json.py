"""Everything that is known of how a reply came about, as JSON for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from app.chat.inspection import Inspection, probability
from app.chat.turn import Turn
from engine.contract import PromptToken, TokenChoice


def inspection_json(seen: Inspection, turn: Turn) -> str:
    """Return what is known of a reply; of the prompt, the tokens that were looked at.

    Times are seconds, sizes bytes; a token's ``text`` has U+FFFD where it is half a character, its
    ``bytes`` are exact, in hexadecimal.
    """
    held = {
        "model": turn.model,
        "seed": seen.seed,
        "computed_again": seen.is_again,
        "timings_s": asdict(seen.timings) if seen.timings is not None else None,
        "usage": asdict(seen.usage) if seen.usage is not None else None,
        "memory": asdict(seen.memory) if seen.memory is not None else None,
        "prompt": {
            "tokens": seen.total,
            "reused": seen.reused,
            "pages": {number: list(map(_read, page)) for number, page in seen.pages.items()},
        },
        "answer": [
            {"channel": channel.value, **_chosen(token)}
            for channel, token in zip(seen.channels, seen.tokens, strict=True)
        ],
    }
    return json.dumps(held, ensure_ascii=False, indent=1)


def _read(token: PromptToken) -> dict[str, Any]:
    return {"id": token.id, "is_control": token.is_control, **_spelt(token.raw)}


def _chosen(choice: TokenChoice) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": choice.id,
        "text": choice.text,
        "probability": probability(choice),
        "logprob": choice.logprob,
    }
    if choice.trace is not None:
        told["draw"] = choice.trace.draw
        told["candidates"] = [
            {"id": each.id, "logit": each.logit, **_spelt(each.raw)}
            for each in choice.trace.candidates
        ]
        told["steps"] = [
            {
                "step": step.step.value,
                "value": step.value,
                "left": step.left,
                "probabilities": list(step.probabilities),
            }
            for step in choice.trace.steps
        ]
    return told


def _spelt(raw: bytes) -> dict[str, str]:
    return {"text": raw.decode("utf-8", "replace"), "bytes": raw.hex()}
