"""``audit`` and ``rules``: what the safety layer noted, and whether its files are right."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from engine.safety import Profile, read_settings


def add_audit(parser: argparse.ArgumentParser) -> None:
    """The options of ``audit``."""
    deeds = parser.add_subparsers(dest="deed", required=True, metavar="verify|export")
    checked = deeds.add_parser("verify", help="is every record as it was written, and none gone?")
    checked.add_argument("--head", default="", help="a head that was kept elsewhere")
    exported = deeds.add_parser("export", help="every record as JSON lines, the head last")
    exported.add_argument("file", nargs="?", type=Path, help="else standard output")
    for deed in (checked, exported):
        deed.add_argument("--folder", type=Path, help="of the log, if it is not the usual one")


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
    if verdict.broken:
        print(f"The log is not whole: {verdict.broken}.", file=sys.stderr)
        return 1
    print(f"{verdict.records} records, nothing missing. Head: {verdict.head}", file=sys.stderr)
    return 0


def add_rules(parser: argparse.ArgumentParser) -> None:
    """The options of ``rules``."""
    parser.add_argument("text", nargs="?", help="a text to try them on")
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
