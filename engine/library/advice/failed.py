"""Why it failed: a device, a template, a form, a length or a server that was in the way."""

from __future__ import annotations

from engine.contract import Fault, FaultKind
from engine.library.advice.choices import longer_context, roomier_here, usable_here
from engine.library.advice.facts import Facts
from engine.library.advice.findings import Action, Finding, Remedy, Symptom
from engine.library.advice.rule import FaultRule, found


def _told(rule: FaultRule, facts: Facts) -> Fault | None:
    """The fault that was asked about, if the rule is about it."""
    refused = facts.refused
    return refused.fault if refused is not None and refused.fault.kind in rule.faults else None


class MissingDevice:
    """The device that the model is to be computed on is not there: a card taken out, a driver."""

    name, symptom = "missing-device", Symptom.FAILED
    faults = frozenset({FaultKind.DEVICE_MISSING})

    def find(self, facts: Facts) -> Finding | None:
        """Look at the fault."""
        fault = _told(self, facts)
        if fault is None:
            return None
        actions = (Action(Remedy.DEVICE_AUTO), Action(Remedy.MODEL_SETTINGS))
        return found(self, *actions, device=str(fault.figures.get("device", "")))


class RefusedTemplate:
    """A template has an error, or does not take this conversation; another one may.

    Where the chat has one of its own the way back is the model's.
    """

    name, symptom = "refused-template", Symptom.FAILED
    faults = frozenset({FaultKind.TEMPLATE_INVALID, FaultKind.TEMPLATE_REFUSED})

    def find(self, facts: Facts) -> Finding | None:
        """Tell the chat's template from the model's."""
        fault = _told(self, facts)
        if fault is None:
            return None
        is_own = facts.wishes.has_template
        action = Action(Remedy.OWN_TEMPLATE if is_own else Remedy.TEMPLATE)
        return found(self, action, kind="chat" if is_own else "model")


class RefusedForm:
    """The JSON schema of the chat is one that answers cannot be held to."""

    name, symptom = "refused-form", Symptom.FAILED
    faults = frozenset({FaultKind.CONSTRAINT_INVALID})

    def find(self, facts: Facts) -> Finding | None:
        """Look at the chat's wishes too: the schema may be gone since."""
        if _told(self, facts) is None or not facts.wishes.has_schema:
            return None
        return found(self, Action(Remedy.NO_SCHEMA))


class LongQuestion:
    """One question alone is longer than the context.

    A new chat would not help there; for a server it is the whole conversation that is too long.
    """

    name, symptom = "long-question", Symptom.FAILED
    faults = frozenset({FaultKind.PROMPT_TOO_LONG, FaultKind.CONVERSATION_TOO_LONG})

    def find(self, facts: Facts) -> Finding | None:
        """Look for a context, or a model, in which it has room."""
        fault = _told(self, facts)
        if fault is None or facts.refused is None:
            return None
        tokens = int(fault.figures.get("tokens", 0))
        context = int(fault.figures.get("context", 0))
        is_whole = fault.kind is FaultKind.CONVERSATION_TOO_LONG
        actions = (
            *(each for each in longer_context(facts) if int(each.value) > tokens),
            *roomier_here(facts, facts.refused.model, tokens),
            *((Action(Remedy.NEW_CHAT),) if is_whole else ()),
        )
        kind = "whole" if is_whole else "question"
        return found(self, *actions, kind=kind, tokens=tokens, context=context)


class Crowded:
    """So many requests were waiting that no more were taken."""

    name, symptom = "crowded", Symptom.FAILED
    faults = frozenset({FaultKind.BUSY})

    def find(self, facts: Facts) -> Finding | None:
        """Look at the fault."""
        fault = _told(self, facts)
        if fault is None:
            return None
        waiting, limit = (int(fault.figures.get(name, 0)) for name in ("waiting", "limit"))
        return found(self, Action(Remedy.MONITOR), waiting=waiting, limit=limit)


class FarServer:
    """The server that has the model is not reached, says nothing, breaks off or has too much to do.

    A model of this computer needs none.
    """

    name, symptom = "far-server", Symptom.FAILED
    faults = frozenset({
        FaultKind.SERVER_UNREACHABLE, FaultKind.SERVER_SILENT, FaultKind.SERVER_BROKE_OFF,
        FaultKind.SERVER_FAILED, FaultKind.SERVER_OVERLOADED, FaultKind.SERVER_GARBLED,
        FaultKind.OFFLINE,
    })  # fmt: skip

    def find(self, facts: Facts) -> Finding | None:
        """Look for a model that is here."""
        fault = _told(self, facts)
        if fault is None:
            return None
        kind = "offline" if fault.kind is FaultKind.OFFLINE else "server"
        again = () if kind == "offline" else (Action(Remedy.LOAD_AGAIN),)
        host = str(fault.figures.get("host", ""))
        return found(self, *usable_here(facts), *again, kind=kind, host=host)


FAILED: tuple[FaultRule, ...] = (
    MissingDevice(),
    RefusedTemplate(),
    RefusedForm(),
    LongQuestion(),
    Crowded(),
    FarServer(),
)
