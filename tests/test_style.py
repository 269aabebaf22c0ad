"""STYLE.md's measurable rules, seen from the source itself."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(p for d in ("engine", "app", "installers") for p in (ROOT / d).rglob("*.py"))
UNNAMED = {"utils", "helpers", "manager", "handler", "common", "base", "misc"}


def test_files_fit_into_a_head() -> None:
    long = {
        str(p.relative_to(ROOT)): n
        for p in SOURCES
        if (n := len(lines := p.read_text("utf-8").splitlines())) > 300
        and not any(line.startswith("# long:") for line in lines[:40])
    }
    assert long == {}, "split these, or give the reason in a line '# long: …' at their head"


def test_functions_fit_onto_a_screen() -> None:
    long: list[str] = []
    for path in SOURCES:
        lines = path.read_text("utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or 0) - node.body[0].lineno + 1
                reason = any(
                    "# long:" in line for line in lines[node.lineno - 1 : node.body[0].lineno]
                )
                if size > 40 and not reason:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} {size}")
    assert long == [], "split these, or give the reason in '# long: …' on the def's line"


def test_one_broad_except_in_the_whole_program() -> None:
    """Besides the service's loop, only what passes the error on, or a library that raises
    nothing narrower (tokenizers' Rust errors are bare ``Exception``), and says so on the line.
    """
    broad: list[str] = []
    for path in SOURCES:
        lines = path.read_text("utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.ExceptHandler):
                names = ast.unparse(node.type) if node.type else "bare"
                passed_on = isinstance(node.body[-1], ast.Raise)
                forced = "the library raises no other type" in lines[node.lineno - 1]
                if names in {"Exception", "BaseException", "bare"} and not (passed_on or forced):
                    broad.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert len(broad) <= 1, f"only the service's loop may catch everything: {broad}"


def test_modules_are_named_after_what_they_hold() -> None:
    assert [str(p) for p in SOURCES if p.stem in UNNAMED] == []
