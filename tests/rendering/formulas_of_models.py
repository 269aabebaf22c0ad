r"""Formulas as models write them in answers: school, physics, statistics, chemistry, Chinese.

One a line in the text file beside this one, so that pages of them can be looked at
(``tests/screenshots.py OUT formulas``); each must be drawn, none may stand as its source.
"""

from __future__ import annotations

from pathlib import Path


def _groups() -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            groups[line[2:]] = []
        elif line:
            groups[next(reversed(groups))].append(line)
    return groups


GROUPS = _groups()
ALL = [formula for group in GROUPS.values() for formula in group]
