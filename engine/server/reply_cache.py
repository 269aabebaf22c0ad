"""Replies that were given before to the very same deterministic request."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

from engine.contract import Complete, Event, Finished, FinishReason, Generate, Loaded, TextDelta
from engine.safety.source import current_stamps

Key = tuple[Path, int, Generate | Complete, object]

_MOST_CHARACTERS = 200_000


class ReplyCache:
    """The latest replies, as the events that they were.

    Only what would be the same again is kept: temperature 0, or a seed.

    Args:
        most: replies that are kept; 0 keeps none.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._replies: OrderedDict[Key, tuple[Event, ...]] = OrderedDict()

    def key(self, loaded: Loaded, command: Generate | Complete) -> Key | None:
        """What a reply is found by; None where it is not to be kept."""
        sampling = command.settings.sampling or loaded.default_sampling
        if not self._most or (sampling.temperature > 0 and sampling.seed is None):
            return None
        # a reply that was looked through by other rules is another reply
        return loaded.model.path, loaded.context, replace(command, request=0), current_stamps()

    def find(self, key: Key) -> tuple[Event, ...]:
        """The events of a reply, or none."""
        if key not in self._replies:
            return ()
        self._replies.move_to_end(key)
        return self._replies[key]

    def keep(self, key: Key, events: list[Event]) -> None:
        """Keep a reply that ended by itself."""
        kept = tuple(event for event in events if isinstance(event, TextDelta | Finished))
        end = kept[-1] if kept else None
        if not isinstance(end, Finished) or end.reason is FinishReason.CANCELLED:
            return
        if sum(len(e.text) for e in kept if isinstance(e, TextDelta)) > _MOST_CHARACTERS:
            return
        self._replies[key] = kept
        while len(self._replies) > self._most:
            self._replies.popitem(last=False)
