"""Everything that is checked with, made from the settings."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from engine.contract import EngineError, FaultKind, Notice, NoticeKind
from engine.safety.audit import AuditLog
from engine.safety.classifier import Classifier, FolderClassifier
from engine.safety.fold import Folding
from engine.safety.problems import Problem
from engine.safety.rule_files import read_rules
from engine.safety.rules import Action, Rule, RuleSet, Side
from engine.safety.settings import Profile, SafetySettings
from engine.safety.source import rule_files

CLASSIFIER = "classifier"

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Protection:
    """What holds for a request.

    Attributes:
        settings: that it was made from.
        folding: how texts are read.
        input, output: the rules of each side.
        problems: mistakes in rule files.
        classifier: the model beside the rules.
        audit: where what happens is noted.
        clean: texts that were looked through and found clean, by their digests.
    """

    settings: SafetySettings
    folding: Folding
    input: RuleSet
    output: RuleSet
    problems: list[Problem]
    classifier: Classifier | None
    audit: AuditLog
    clean: set[bytes] = field(default_factory=set)

    def check_ready(self) -> list[Notice]:
        """What is broken, as notices; an organisation's profile refuses to work without it.

        Raises:
            EngineError: POLICY_INVALID, RULES_INVALID.
        """
        if (problem := self.settings.problem) is not None:
            raise EngineError(FaultKind.POLICY_INVALID, **_figures(problem))
        if not self.problems:
            return []
        if self.settings.profile is Profile.ORGANISATION:
            raise EngineError(FaultKind.RULES_INVALID, **_figures(self.problems[0]))
        return [Notice(NoticeKind.RULES_INVALID, _figures(self.problems[0]))]

    def note(self, kind: str, rule: Rule, request: int, where: str) -> None:
        """Write to the audit log.

        Raises:
            EngineError: AUDIT_UNWRITABLE, in an organisation.
        """
        try:
            self.audit.append(
                kind,
                profile=self.settings.profile.value,
                rule=rule.name,
                list=rule.group,
                action=rule.action.name.lower(),
                where=where,
                request=request,
            )
        except OSError as error:
            path = str(self.settings.audit_folder)
            if self.settings.profile is Profile.ORGANISATION:
                raise EngineError(
                    FaultKind.AUDIT_UNWRITABLE, path=path, reason=str(error)
                ) from None
            _log.warning("the audit log in %s cannot be written: %s", path, error)


def build(settings: SafetySettings) -> Protection:
    """Read the rules and load the classifier."""
    folding = Folding()
    rules: list[Rule] = []
    problems: list[Problem] = []
    for path in rule_files(settings):
        found = read_rules(path, folding)
        problems += found.problems
        if not found.profiles or settings.profile in found.profiles:
            rules += found.rules
    for folder in settings.rules if settings.is_locked else ():
        if not folder.is_dir():
            problems.append(Problem(folder, 1, "there is no such folder"))
    classifier = None
    if settings.classifier is not None:
        try:
            classifier = FolderClassifier(settings.classifier, settings.classifier_least)
        except (OSError, ValueError) as error:
            problems.append(Problem(settings.classifier, 1, str(error)))
    return Protection(
        settings,
        folding,
        RuleSet(rules, Side.INPUT),
        RuleSet(rules, Side.OUTPUT),
        problems,
        classifier,
        AuditLog(settings.audit_folder, settings.audit_days),
    )


def classified(label: str, action: Action) -> Rule:
    """The classifier's word as a rule."""
    return Rule(label, CLASSIFIER, action, frozenset(Side), lambda text: iter(()), 0, "")


def _figures(problem: Problem) -> dict[str, str | int]:
    return {"path": str(problem.path), "line": problem.line, "reason": problem.reason}
