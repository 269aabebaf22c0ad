"""What a model wants to have called: lines of JSON, as the engine's channel delivers them."""

from __future__ import annotations

import json

from app.rendering.blocks import Block, Code


def call_blocks(calls: str) -> list[Block]:
    """Return a card for each call: its name, and its arguments one to a line.

    A line that is not whole yet, or is no call, is shown as it is.
    """
    return [_card(line) for line in calls.split("\n") if line.strip()]


def _card(line: str) -> Code:
    try:
        call = json.loads(line)
    except ValueError:
        return Code(line, "json")
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return Code(line, "json")
    arguments = call.get("arguments", {})
    return Code(json.dumps(arguments, indent=2, ensure_ascii=False), "json", calls=call["name"])
