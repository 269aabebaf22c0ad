"""Where a person writes at a terminal: several lines, what was written before, commands by Tab."""

from __future__ import annotations

from collections.abc import Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output


class LineEditor:
    """Asks for one message after the other.

    Enter sends; Alt+Enter, Ctrl+J or a backslash at the line's end begins another line, and a
    pasted text keeps its lines. Up and Down, and Ctrl+R, find what was written before in this run:
    nothing of it is written to the disk.

    Args:
        commands: words that Tab completes at the beginning.
        keys: where key presses come from; None is the terminal.
        screen: where it is drawn; None is the terminal.
    """

    def __init__(
        self, commands: Sequence[str], keys: Input | None = None, screen: Output | None = None
    ) -> None:
        self._session: PromptSession[str] = PromptSession(
            history=InMemoryHistory(),
            key_bindings=_bindings(),
            multiline=True,
            completer=WordCompleter(list(commands), sentence=True),
            complete_while_typing=False,
            enable_history_search=False,
            prompt_continuation="",
            input=keys,
            output=screen,
        )

    def ask(self, mark: str) -> str:
        """Wait for a message.

        Args:
            mark: what stands before it.

        Raises:
            EOFError: Ctrl-D on an empty line.
            KeyboardInterrupt: Ctrl-C: what was written is dropped.
        """
        return self._session.prompt(mark)


def _bindings() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        document = buffer.document
        if document.is_cursor_at_the_end and document.text.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline(copy_margin=False)
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def _break(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return keys
