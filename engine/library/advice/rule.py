"""What a rule is: one class, one thing that can be wrong, its threshold with the reason for it."""

from __future__ import annotations

from typing import Protocol

from engine.contract import FaultKind, Figure
from engine.library.advice.facts import Facts
from engine.library.advice.findings import Action, Finding, Level, Symptom


class Rule(Protocol):
    """Looks at the facts for one thing."""

    @property
    def name(self) -> str:
        """By which its sentence is found."""
        ...

    @property
    def symptom(self) -> Symptom:
        """The question that it answers."""
        ...

    def find(self, facts: Facts) -> Finding | None:
        """Return what is found, None where that is not so, or cannot be told."""
        ...


class FaultRule(Rule, Protocol):
    """A rule about something that failed."""

    @property
    def faults(self) -> frozenset[FaultKind]:
        """The faults that it explains."""
        ...


def found(rule: Rule, *actions: Action, level: Level = Level.CAUSE, **figures: Figure) -> Finding:
    """Return a rule's finding."""
    return Finding(rule.name, rule.symptom, level, figures, actions)
