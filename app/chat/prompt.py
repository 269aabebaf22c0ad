"""A path of turns as the engine gets it: a tuple of messages, a snapshot, never live objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from app.chat.attachment import with_files
from app.chat.turn import Turn, TurnState
from engine.contract import Message, Role, ToolCall


class Snapshots:
    """Makes messages of turns, each once: a path of 10,000 turns then takes milliseconds."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Turn, Message]] = {}

    def take(
        self, path: Sequence[Turn], ids: Mapping[int, tuple[int, ...]], system: str = ""
    ) -> tuple[Message, ...]:
        """Return the messages of a path.

        Args:
            path: turns from the first to the last one that the model is to see.
            ids: token ids that were sampled for a turn; they let the engine find its cache again.
            system: instructions that lead the conversation; empty for none.
        """
        messages = [Message(Role.SYSTEM, system)] if system.strip() else []
        for turn in _told(path):
            message = self._message(turn)
            known = ids.get(turn.id)
            messages.append(replace(message, ids=known) if known else message)
        return tuple(messages)

    def prepare(self, turns: Iterable[Turn]) -> None:
        """Make the messages of some turns ahead; not of files, whose text would be held twice."""
        for turn in turns:
            if not turn.attachments:
                self._message(turn)

    def _message(self, turn: Turn) -> Message:
        made = self._made.get(turn.id)
        if made is None or made[0] is not turn:
            made = self._made[turn.id] = (turn, _message(turn))
        return made[1]


def newest_ids(
    path: Sequence[Turn],
    limit: int,
    read: Callable[[int], tuple[int, ...]],
) -> dict[int, tuple[int, ...]]:
    """Return the ids of the newest turns, as many tokens as a context can hold.

    A long chat's older turns will be left out anyway, and their ids would cost the window's thread
    time.

    Args:
        path: the turns of the prompt.
        limit: tokens of the context.
        read: reads a turn's ids from where they are kept.
    """
    found: dict[int, tuple[int, ...]] = {}
    for turn in reversed(path):
        if turn.role is not Role.ASSISTANT:
            continue
        if ids := turn.ids or read(turn.id):
            found[turn.id] = ids
            limit -= len(ids)
        else:
            limit -= len(turn.content) // 8  # at least: few tokens are longer than 8 characters
        if limit < 0:
            break
    return found


def tool_calls_of(lines: str) -> tuple[ToolCall, ...]:
    """Read the calls of a reply, a line of JSON each; a broken line is left out."""
    return tuple(call for line in lines.split("\n") for call in _tool_calls(line))


def _tool_calls(line: str) -> Iterable[ToolCall]:
    try:
        value = json.loads(line)
    except ValueError:
        return
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        arguments = value.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        yield ToolCall(value["name"], text, str(value.get("id", "")))


def _told(path: Sequence[Turn]) -> Iterable[Turn]:
    """Leave out what the model never took part in.

    Empty replies go, because a template may refuse them. A question whose reply failed before its
    first word goes with it: what was too long once would push out every good turn from then on.
    Asked again, it is the path's last turn, with no reply below it, and is told.
    """
    for turn, below in zip_longest(path, path[1:]):
        refused = turn.role is Role.USER and below is not None and _is_refusal(below)
        if _says_something(turn) and not refused:
            yield turn


def _is_refusal(turn: Turn) -> bool:
    failed = turn.role is Role.ASSISTANT and turn.state is TurnState.FAILED
    return failed and not _says_something(turn)


def _says_something(turn: Turn) -> bool:
    return turn.role is not Role.ASSISTANT or bool(
        turn.content or turn.reasoning or turn.tool_calls
    )


def _message(turn: Turn) -> Message:
    return Message(
        role=turn.role,
        content=with_files(turn.content, turn.attachments),
        reasoning=turn.reasoning,
        tool_calls=tool_calls_of(turn.tool_calls),
    )
