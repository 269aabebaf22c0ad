"""A conversation at the terminal: questions, replies, and what begins with a slash."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from engine.cli_options import generate_settings, model_path
from engine.cli_talk import load, print_reply
from engine.cli_terminal import EngineAtTerminal
from engine.cli_words import fault_sentence
from engine.contract import (
    Channel,
    EngineError,
    Finished,
    FinishReason,
    Generate,
    Loaded,
    Message,
    Role,
    Thinking,
)
from engine.library.servers.address import is_here, server_name
from engine.terminal.screen import ReplyShown

_HELP = """\
Enter sends. Alt+Enter, Ctrl+J or a backslash at the end begins another line.
Up and Down, and Ctrl+R, find what you wrote. Ctrl-C stops a reply, Ctrl-D ends.

/new              begin a new conversation; the system prompt stays
/retry            answer the last question once more
/system [TEXT]    set the system prompt; without a text, take it away
/thinking WHEN    on, off or auto, for models that can reason
/model NAME       go on with another model
/save FILE        write the conversation into a file, as Markdown
/help             this
/quit             end
//TEXT            a message that begins with a slash"""


class Conversation:
    """Turns, and who answers them.

    Args:
        terminal: the engine.
        options: of the command line.
        loaded: the model.
        screen: where replies are shown.
    """

    def __init__(
        self,
        terminal: EngineAtTerminal,
        options: argparse.Namespace,
        loaded: Loaded,
        screen: ReplyShown,
    ) -> None:
        self._terminal, self._options, self._screen = terminal, options, screen
        self._loaded = loaded
        self._system: str = options.system
        self._thinking: Thinking = options.thinking
        self._turns: list[Message] = []
        self._deeds: Mapping[str, Callable[[str], None]] = {
            "/new": self._begin_anew,
            "/retry": self._retry,
            "/system": self._set_system,
            "/thinking": self._set_thinking,
            "/model": self._switch,
            "/save": self._save,
            "/help": lambda _: _tell(_HELP),
        }

    @property
    def mark(self) -> str:
        """What stands before a line: a server's name where text leaves this computer."""
        server = self._loaded.model.server
        return "> " if not server or is_here(server) else f"{server_name(server)}> "

    def run(self) -> int:
        """Converse until the input ends; the exit status."""
        is_typed = sys.stdin.isatty() and sys.stdout.isatty()
        ask = self._editor() if is_typed else _line
        if is_typed:
            self._introduce()
        while True:
            try:
                line = ask(self.mark)
            except KeyboardInterrupt:
                continue
            except EOFError:
                return 0
            if not line.strip():
                continue
            if is_typed and line.startswith("/"):
                if line.split()[0] in {"/quit", "/exit"}:
                    return 0
                self._obey(line)
            else:
                self._try(lambda question=line: self.answer(question))  # type: ignore[misc]

    def answer(self, question: str) -> Finished:
        """Answer a question and keep both; a fault keeps neither.

        Raises:
            EngineError: why there is no answer.
        """
        turns = [*self._turns, Message(Role.USER, question)]
        system = [Message(Role.SYSTEM, self._system)] if self._system else []
        command = Generate(
            self._terminal.next_request(),
            (*system, *turns),
            generate_settings(self._options, self._loaded.default_sampling),
            self._thinking,
        )
        end, texts = print_reply(
            self._terminal.run(command), self._screen, as_json=self._options.json
        )
        reasoning, answer = texts[Channel.REASONING], texts[Channel.ANSWER]
        self._turns = [*turns, Message(Role.ASSISTANT, answer, reasoning, ids=end.ids)]
        return end

    # --- what begins with a slash -------------------------------------------------------------

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word.startswith("//"):
            self._try(lambda: self.answer(line[1:]))
        elif word in self._deeds:
            self._try(lambda: self._deeds[word](rest.strip()))
        else:
            _tell(f"{word} is no command. /help lists them; //… sends a slash.")

    def _begin_anew(self, rest: str) -> None:
        self._turns = []
        _tell("A new conversation.")

    def _retry(self, rest: str) -> None:
        if len(self._turns) < 2:
            _tell("There is no question yet.")
            return
        kept = self._turns
        self._turns = kept[:-2]
        try:
            end = self.answer(kept[-2].content)
        except EngineError:
            self._turns = kept
            raise
        if end.reason is FinishReason.CANCELLED and not self._turns[-1].content:
            self._turns = kept

    def _set_system(self, rest: str) -> None:
        self._system = rest
        _tell("The system prompt is set." if rest else "There is no system prompt.")

    def _set_thinking(self, rest: str) -> None:
        if rest not in set(Thinking):
            _tell(f"/thinking takes one of: {', '.join(Thinking)}.")
            return
        self._thinking = Thinking(rest)

    def _switch(self, rest: str) -> None:
        if not rest:
            _tell(f"{self._loaded.model.name} answers.")
            return
        loaded = load(self._terminal, self._options, model_path(rest))
        if loaded is None:
            _tell("Stopped: no model is loaded. /model NAME loads one.")
            return
        self._loaded = loaded
        self._turns = [replace(turn, ids=()) for turn in self._turns]  # of another vocabulary
        self._introduce()

    def _save(self, rest: str) -> None:
        if not rest:
            _tell("/save takes a file's name.")
            return
        path = Path(rest).expanduser()
        parts = [f"## {_speaker(turn)}\n\n{turn.content}\n" for turn in self._turns]
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write("\n".join(parts))
        except OSError as error:
            _tell(f"{path} is not written: {error.strerror or error}.")
            return
        _tell(f"{len(self._turns)} messages are in {path}.")

    # --- the terminal -------------------------------------------------------------------------

    def _introduce(self) -> None:
        model = self._loaded.model
        _tell(f"{model.name} answers. /help lists the commands, Ctrl-D ends.")
        if model.server and not is_here(model.server):
            _tell(f"What you write leaves this computer: it goes to {server_name(model.server)}.")

    def _editor(self) -> Callable[[str], str]:
        from engine.terminal.line_editor import LineEditor  # noqa: PLC0415 - for typing alone

        return LineEditor([*self._deeds, "/quit"]).ask

    def _try(self, deed: Callable[[], object]) -> None:
        """Do it; a fault is a sentence, and the conversation goes on."""
        try:
            deed()
        except EngineError as error:
            _tell(fault_sentence(error.fault))


def _line(mark: str) -> str:
    """A line of a file or a pipe, or of a terminal whose replies go elsewhere."""
    if sys.stdin.isatty():
        sys.stderr.write(mark)
        sys.stderr.flush()
    return input()


def _speaker(turn: Message) -> str:
    return "You" if turn.role is Role.USER else "Model"


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr)
