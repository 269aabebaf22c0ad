"""Every dialog of settings: no text cut off, all named, all reached by Tab, all readable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app.application import Application
from app.chat.presets import Preset, line_of
from app.chat.templates import Template
from app.ui.chat_settings.bar import InstructionsDialog
from app.ui.chat_settings.dialog import ChatSettingsDialog
from app.ui.chat_settings.presets_dialog import PresetsDialog
from app.ui.detail_dialog import DetailDialog
from app.ui.model_settings.dialog import ModelSettingsDialog
from app.ui.question import Answer, QuestionDialog
from app.ui.remote.dialog import RemoteDialog
from app.ui.templates.asking import VariablesDialog
from app.ui.templates.editor import TemplatesDialog
from app.ui.why_dialog import WhyDialog
from engine.contract import Sampling
from tests.app.conftest import Program
from tests.app.legible import troubles
from tests.app.test_contrast_on_screen import picture_of, places, strongest
from tests.app.test_names import controls, spoken_name

Opens = Callable[[Application], object]


def _model_settings(running: Application) -> None:
    loaded = running.model.state.loaded
    assert loaded is not None
    running.model_settings.open(loaded.model)
    dialog = running.window.findChild(ModelSettingsDialog)
    dialog.show_devices(("", "cpu", "cuda"))


def _variables(running: Application) -> None:
    template = Template("a letter", "Write to {{whom}} about {{what}}.")
    VariablesDialog(running.look, template, running.window).open()


def _question(running: Application) -> None:
    text = running.look.language.text
    answers = [Answer("carried-both", print), Answer("carried-replace", print, "danger")]
    question = text("carried-clash", count=2, names="a, b")
    about = text("carried-clash-about")
    QuestionDialog(running.look, question, about, answers, running.window).open()


DIALOGS: dict[type[QDialog], Opens] = {
    ModelSettingsDialog: _model_settings,
    ChatSettingsDialog: lambda running: running.chat_settings.adjust(),
    PresetsDialog: lambda running: running.chat_settings.manage(),
    InstructionsDialog: lambda running: running.window.parts.chat.box.options.edit_instructions(),
    TemplatesDialog: lambda running: running.templates_on_screen.edit(),
    VariablesDialog: _variables,
    RemoteDialog: lambda running: running.remote.add(),
    QuestionDialog: _question,
    WhyDialog: lambda running: running.window.parts.models.explain(running.shelf.models[0]),
    DetailDialog: lambda running: running.window.parts.models.open_details(running.shelf.models[0]),
}


@pytest.fixture
def running(program: Program, monkeypatch: pytest.MonkeyPatch) -> Application:
    monkeypatch.setattr("app.ui.model_settings.on_screen.read_gpus", lambda: ())
    running = program.start_ready()
    running.settings.change(
        templates=("standup\nWhat did {{name}} do?",),
        presets=(line_of(Preset("Poems", Sampling(temperature=1.5))),),
    )
    return running


def each_of(running: Application, look: Callable[[str, QDialog], None]) -> None:
    """Open one dialog after the other, and close each again."""
    for kind, opens in DIALOGS.items():
        opens(running)
        dialog = running.window.findChild(kind)
        assert dialog is not None, kind
        QTest.qWait(60)
        look(kind.__name__, dialog)
        dialog.reject()
        QTest.qWait(20)


def reached(dialog: QDialog) -> set[QWidget]:
    """Return what Tab goes through until it is back where it began."""
    dialog.activateWindow()
    QTest.qWait(20)
    found: set[QWidget] = set()
    for _ in range(200):
        QTest.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is None or now in found:
            break
        found.add(now)
    return found


def test_I10_every_control_of_a_dialog_is_named_and_reached_by_tab(running: Application) -> None:
    nameless: set[str] = set()
    missed: set[str] = set()

    def look(name: str, dialog: QDialog) -> None:
        within = [w for w in controls(dialog) if w.isVisibleTo(dialog)]
        nameless.update(f"{name}: {type(w).__name__}" for w in within if not spoken_name(w).strip())
        seen = reached(dialog)
        wanted = [w for w in within if w.isEnabled() and w.focusPolicy() & Qt.FocusPolicy.TabFocus]
        missed.update(
            f"{name}: {type(w).__name__} {spoken_name(w)}"
            for w in wanted
            if w not in seen and w.parentWidget() not in seen  # the line in a field of numbers
        )

    each_of(running, look)
    assert nameless == set()
    assert missed == set()


@pytest.mark.parametrize(("code", "scale"), [("en", 1.6), ("zh_CN", 1.6), ("zh_TW", 0.8)])
def test_no_text_of_a_dialog_is_cut_off(running: Application, code: str, scale: float) -> None:
    running.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        running.settings_on_screen._on_changed(name)
    found: set[str] = set()

    def look(name: str, dialog: QDialog) -> None:
        seen = set(troubles(dialog))
        if seen:
            QTest.qWait(300)  # a busy machine lays out later
            seen = set(troubles(dialog))
        found.update(f"{name}: {each}" for each in seen)

    each_of(running, look)
    assert found == set()


@pytest.mark.parametrize(("name", "strong"), [("light", False), ("dark", False), ("dark", True)])
def test_every_text_of_a_dialog_can_be_read(running: Application, name: str, strong: bool) -> None:
    running.look.theme.strong = strong
    running.look.theme.use(name, 1.0)  # type: ignore[arg-type]
    low: set[tuple[str, str, float]] = set()

    def look(where: str, dialog: QDialog) -> None:
        picture = picture_of(dialog)
        for text, rect in places(dialog):
            measured = strongest(picture, rect)
            if measured < 4.5:
                low.add((where, text, round(measured, 2)))

    each_of(running, look)
    assert low == set()


def test_what_a_crash_left_is_told_in_the_window(running: Application) -> None:
    running.aftercare.say([Path("report.txt")])
    QTest.qWait(60)
    assert set(troubles(running.window)) == set()
