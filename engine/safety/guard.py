"""The guard before an engine: the same contract, with what is asked and answered looked through.

It stands between the service and whatever engine there is, so that the window, the local server and
the command line are all behind it, and remote models too. Where nothing is checked, the engine's
own iterator is handed through: an event costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from engine.contract import Command, CommandRunner, Complete, Event, Generate, Inspect
from engine.safety.source import ProtectionSource

if TYPE_CHECKING:
    from engine.safety.protection import Protection


class Guarded:
    """A ``CommandRunner`` in front of another.

    Args:
        inner: the engine.
        protection: what holds at the moment of asking; None is nothing.
    """

    def __init__(
        self, inner: CommandRunner, protection: Callable[[], Protection | None] | None = None
    ) -> None:
        self._inner = inner
        self._protection = protection or ProtectionSource()

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        """Run a command; see ``CommandRunner``."""
        if not isinstance(command, Generate | Complete | Inspect):
            return self._inner.run(command, cancelled)
        protection = self._protection()
        if protection is None:
            return self._inner.run(command, cancelled)
        from engine.safety.guarding import guarded  # noqa: PLC0415 (RE2: only if something is on)

        return guarded(self._inner, command, cancelled, protection)

    def close(self) -> None:
        """Free the engine."""
        self._inner.close()
