"""No sentence is formatted once and kept: every page follows the language while it stands open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from app.application import Application
from app.language import entries
from app.ui.faults import fault_text
from app.ui.notices import Announcement, Tone
from engine.contract import Fault, FaultKind
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.app.walk import walk
from tests.doubles.engines import Reply, ScriptedRunner
from tests.scenes_add_model import fill

TRANSLATIONS = Path(__file__).resolve().parents[2] / "resources" / "translations"
CHINESE = re.compile(r"[\u4e00-\u9fff]{2}")


def sentences() -> re.Pattern[str]:
    """Every text that is another in Chinese, with room for its figures, if it has a word."""
    found: set[str] = set()
    chinese = dict(_entries("zh_CN"))
    for name, source in _entries("en"):
        for line in source.splitlines() if source != chinese[name] else ():
            text = re.sub(r"^\s*[\w.-]+ = |^\s*\*?\[\w+\] ", "", line).strip()
            parts = re.split(r"\{[^}]*\}", text)
            if re.search(r"[a-z]{3}", "".join(parts)) and "->" not in text:
                found.add(".+?".join(map(re.escape, parts)))
    assert len(found) > 1000
    return re.compile("|".join(sorted(found)))


def _entries(code: str) -> Iterator[tuple[str, str]]:
    for file in sorted((TRANSLATIONS / code).glob("*.ftl")):
        yield from entries(file.read_text("utf-8"))


def texts(window: QWidget) -> Iterator[tuple[QWidget, str]]:
    """What can be read or heard."""
    for widget in window.findChildren(QWidget):
        if widget.isVisible():
            if isinstance(widget, QLabel | QAbstractButton):
                yield widget, widget.text()
            elif isinstance(widget, QLineEdit):
                yield widget, widget.placeholderText()
            yield widget, widget.accessibleName()


def test_every_page_follows_the_language_while_it_stands_open(program: Program) -> None:
    broken = Reply("half", fault=Fault(FaultKind.OUT_OF_MEMORY, {"needed": 2 << 30, "free": 1}))
    running = program.start_ready(ScriptedRunner([Reply("Words."), broken]))
    ask(running, "qq")
    await_reply(program, running, 2)
    running.window.show_page("add_model")
    fill(running)
    ours, stale = sentences(), set()

    def look(where: str) -> None:
        stale.update(_stale(running, where, ours))

    walk(running, look)
    running.window.show_page("chat")
    ask(running, "qq")
    await_reply(program, running, 4)
    look("a broken reply")
    fault = Fault(FaultKind.NETWORK_UNREACHABLE, {"host": "h.example"})
    running.window.notices.announce(
        Announcement("x", Tone.ERROR, lambda to: fault_text(fault, to), lambda: None)
    )
    look("a notice")
    assert sorted(stale) == []


def _stale(running: Application, where: str, ours: re.Pattern[str]) -> Iterator[str]:
    """What stays English in Chinese, and Chinese back in English."""
    language = running.window.look.language
    before = list(texts(running.window))
    language.use("zh_CN")
    now = {(id(widget), text) for widget, text in texts(running.window)}
    for widget, text in before:
        if (id(widget), text) in now and ours.fullmatch(text):
            yield f"{where}: {type(widget.parent()).__name__}/{type(widget).__name__} {text!r}"
    language.use("en")
    of_both = {text for _, text in before}
    for widget, text in texts(running.window):
        if CHINESE.search(text) and text not in of_both:
            yield f"{where}: {type(widget.parent()).__name__}/{type(widget).__name__} {text!r}"
