"""The input check: what is asked, before an engine reads it."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field, replace

from engine.contract import (
    Complete,
    EngineError,
    FaultKind,
    Generate,
    Inspect,
    Message,
    Notice,
    NoticeKind,
    Role,
)
from engine.safety.protection import Protection, classified
from engine.safety.rules import Action, Rule
from engine.safety.scanner import Scanner

Asked = Generate | Complete | Inspect

_STEP = 4096
_MOST_REMEMBERED = 20_000


@dataclass(slots=True)
class QuestionCheck:
    """Looks through one command.

    Attributes:
        protection: what holds.
        request: whose command it is.
        met: the rules that were met and did not end it.
    """

    protection: Protection
    request: int
    met: list[Rule] = field(default_factory=list)

    def checked(self, command: Asked) -> Asked:
        """The command with what is to be masked masked.

        Raises:
            EngineError: INPUT_REFUSED, AUDIT_UNWRITABLE.
        """
        if isinstance(command, Complete):
            return replace(command, prompt=self._text(command.prompt, "prompt"))
        messages = tuple(self._message(message) for message in command.messages)
        return replace(command, messages=messages)

    def _message(self, message: Message) -> Message:
        content = self._text(message.content, message.role.value)
        reasoning = self._text(message.reasoning, "reasoning")
        if (content, reasoning) == (message.content, message.reasoning):
            return message
        return replace(message, content=content, reasoning=reasoning, ids=())

    def _text(self, text: str, where: str) -> str:
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        protection = self.protection
        if not text or digest in protection.clean:
            return text
        scanner = Scanner(protection.input, protection.folding, step=_STEP)
        shown = scanner.push(text) + scanner.finish()
        if scanner.stopped_by is None and where in {Role.USER.value, "prompt"}:
            self._classify(text, scanner)
        for rule in scanner.found:
            protection.note("input", rule, self.request, where)
        if (stop := scanner.stopped_by) is not None:
            raise EngineError(FaultKind.INPUT_REFUSED, rule=stop.name, list=stop.group)
        self.met += scanner.found
        if not scanner.found:
            if len(protection.clean) >= _MOST_REMEMBERED:
                protection.clean.clear()
            protection.clean.add(digest)
        return shown

    def _classify(self, text: str, scanner: Scanner) -> None:
        classifier = self.protection.classifier
        if classifier is not None and (label := classifier.unwanted(text)):
            scanner.stopped_by = classified(label, Action.STOP)
            scanner.found.append(scanner.stopped_by)


def notices_of(met: list[Rule], masked: NoticeKind, warned: NoticeKind) -> list[Notice]:
    """What a person is told of rules that were met: one notice a list and action."""
    counts = Counter((rule.group, rule.action) for rule in met if rule.action is not Action.STOP)
    return [
        Notice(masked if action is Action.MASK else warned, {"list": group, "places": count})
        for (group, action), count in sorted(counts.items())
    ]
