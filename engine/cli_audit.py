"""``audit`` and ``rules``: what the safety layer noted, and whether its files are right."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.safety import Profile, read_settings

if TYPE_CHECKING:
    from engine.safety.problems import Problem
    from engine.safety.protection import Protection
    from engine.safety.settings import SafetySettings


def add_audit(parser: argparse.ArgumentParser) -> None:
    """The options of ``audit``."""
    deeds = parser.add_subparsers(dest="deed", required=True, metavar="verify|export")
    checked = deeds.add_parser("verify", help="is every record as it was written, and none gone?")
    checked.add_argument("--head", default="", help="a head that was kept elsewhere")
    exported = deeds.add_parser("export", help="every record as JSON lines, the head last")
    exported.add_argument("file", nargs="?", type=Path, help="else standard output")
    for deed in (checked, exported):
        deed.add_argument("--folder", type=Path, help="of the log, if it is not the usual one")
        deed.add_argument("--json", action="store_true", help="the verdict as one JSON object")


def audit(options: argparse.Namespace) -> int:
    """Verify or export the audit log; 1 where it is not whole."""
    from engine.safety.audit import AuditLog  # noqa: PLC0415

    log = AuditLog(options.folder or read_settings().audit_folder)
    verdict = log.verify(getattr(options, "head", ""))
    if options.deed == "export":
        lines = [json.dumps(record, ensure_ascii=False) for record in log.records()]
        lines.append(json.dumps({"head": verdict.head, "records": verdict.records}))
        text = "\n".join(lines) + "\n"
        if options.file is None:
            sys.stdout.write(text)
        else:
            options.file.write_text(text, "utf-8")
    if options.json and options.deed == "verify":
        print(json.dumps(asdict(verdict)))
    if verdict.broken:
        print(f"The log is not whole: {verdict.broken}.", file=sys.stderr)
        return 1
    print(f"{verdict.records} records, nothing missing. Head: {verdict.head}", file=sys.stderr)
    return 0


def add_rules(parser: argparse.ArgumentParser) -> None:
    """The options of ``rules``."""
    parser.add_argument("text", nargs="?", help="a text to try them on")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--profile", choices=[p.value for p in Profile if p is not Profile.OFF], help="else as set"
    )


def rules(options: argparse.Namespace) -> int:
    """Check the rule files, and try them on a text; 1 where something is wrong with a file."""
    from engine.safety.protection import build  # noqa: PLC0415
    from engine.safety.scanner import Scanner  # noqa: PLC0415

    settings = read_settings()
    if options.profile:
        settings = replace(settings, profile=Profile(options.profile))
    protection = build(settings)
    problems = [*protection.problems, *([settings.problem] if settings.problem else [])]
    if options.json:
        return _rules_as_json(options.text, settings, protection, problems)
    for problem in problems:
        print(f"{problem.path}, line {problem.line}: {problem.reason}", file=sys.stderr)
    locked = f", decided by {settings.policy}" if settings.policy else ""
    print(f"profile {settings.profile.value}{locked}", file=sys.stderr)
    if options.text is not None:
        scanner = Scanner(protection.output, protection.folding)
        print(scanner.push(options.text) + scanner.finish())
        for rule in scanner.found:
            action = rule.action.name.lower()
            print(f"{action}: {rule.name} (list {rule.group})", file=sys.stderr)
    return 1 if problems else 0


def _rules_as_json(
    text: str | None, settings: SafetySettings, protection: Protection, problems: Sequence[Problem]
) -> int:
    """Print what the files say, and what they make of a text; the exit status."""
    from engine.safety.scanner import Scanner  # noqa: PLC0415

    told: dict[str, object] = {
        "profile": settings.profile.value,
        "policy": str(settings.policy or ""),
        "problems": [
            {"path": str(each.path), "line": each.line, "reason": each.reason} for each in problems
        ],
    }
    if text is not None:
        scanner = Scanner(protection.output, protection.folding)
        told["text"] = scanner.push(text) + scanner.finish()
        told["found"] = [
            {"action": rule.action.name.lower(), "rule": rule.name, "list": rule.group}
            for rule in scanner.found
        ]
    print(json.dumps(told, ensure_ascii=False))
    return 1 if problems else 0
