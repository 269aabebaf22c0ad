"""The real window on a stage, going from state to state while a screen reader looks: see reader.py.

python -m tests.accessibility.stage en
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPoint, QSocketNotifier, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu

from app.application import Application
from app.chat.comparing import AskPhase, Said
from app.chat.shrinking import ShrinkPhase
from app.chat.templates import Template
from app.ui.about.licences import LicencesDialog
from app.ui.attachments.choosing import FitDialog
from app.ui.attachments.uncounted import UncountedDialog
from app.ui.chat_settings.bar import InstructionsDialog
from app.ui.chat_settings.dialog import ChatSettingsDialog
from app.ui.chat_settings.presets_dialog import PresetsDialog
from app.ui.detail_dialog import DetailDialog
from app.ui.key_sheet import KeySheet, open_key_sheet
from app.ui.model_settings.dialog import ModelSettingsDialog
from app.ui.question import QuestionDialog
from app.ui.templates.asking import VariablesDialog
from app.ui.templates.editor import TemplatesDialog
from app.ui.transcript.editing import EditBox
from app.ui.why_dialog import WhyDialog
from app.update.form import Form
from engine.contract import Channel, Fault, FaultKind
from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.scenes_advisor import WRONG, open_advisor
from tests.scenes_history import organise
from tests.scenes_remote import open_form
from tests.scenes_runtime import FETCHING, runtime_dialog
from tests.scenes_smaller import REPORT, alone, asked, at_work, open_page
from tests.scenes_update import READY, update_dialog
from tests.studio import MODELS, Scene, Studio

ANSWER = """It floats because **ice** is lighter.

```python
print(1)
```

| a | b |
|---|---|
| 1 | 2 |
"""
MEMORY_RAN_OUT = {"needed": 2_000_000_000, "free": 1_000_000_000, "device": "cpu"}
QUESTION = "Why does ice float?"
STATES = (
    "welcome", "fetching", "empty", "answered", "version", "menu", "find", "questions", "search",
    "templates", "beginning", "attached", "choice", "uncounted", "edited", "failed", "advised",
    "inspector", "prompt", "memory", "models", "details", "why", "add_model", "remote", "benchmark",
    "server", "monitor", "settings", "appearance", "open_chat", "model_settings", "chat_settings",
    "presets", "instructions", "prompts", "variables", "advisor", "crash", "smaller",
    "asking_both", "compared", "source_gone", "question",
    "keys", "licences", "update", "runtime", "quick",
)  # fmt: skip


class Stage:
    """The window, and the line to whoever looks."""

    def __init__(self, app: QApplication, language: str) -> None:
        self._language = language
        self._scene = Scene(app, Path(), MODELS)

    def play(self) -> None:
        """Go through every state."""
        self._first_run()
        self._chat()

    def _first_run(self) -> None:
        scene = self._scene
        scene.models = []
        with scene.window(Studio(), [], language=self._language) as program:
            show("welcome")
            program.window.parts.welcome.starter.start.click()
            scene.wait(lambda: program.shelf.fetch.done > 30_000_000)
            show("fetching")
        scene.models = MODELS

    def _chat(self) -> None:
        thought = [(Channel.REASONING, "Density decides.")]
        broken = Reply("half", fault=Fault(FaultKind.INTERNAL, {"detail": "KeyError: 1"}))
        full = Reply("half", fault=Fault(FaultKind.OUT_OF_MEMORY, MEMORY_RAN_OUT))
        chats = texts.CHATS if self._language == "en" else texts.CHATS_ZH
        scene, runner = (
            self._scene,
            Studio([Reply(ANSWER, pieces=thought), Reply("Less dense."), broken, full]),
        )
        with scene.window(runner, chats, language=self._language) as program:
            organise(program, self._language)
            scene.load(program, MODELS[0].name)
            show("empty")
            scene.ask(program, QUESTION)
            scene.settle(program)
            QTest.qWait(200)
            show("answered")
            program.window.parts.chat.answer_again()
            scene.settle(program)
            session = program.window.parts.chat.session
            assert session is not None
            program.window.parts.chat.transcript.version_requested.emit(session.path()[-1].id, -1)
            show("version")
            self._menu(program)
            self._beside(program)
            scene.ask(program, QUESTION)
            scene.settle(program)
            show("failed")
            scene.ask(program, QUESTION)
            scene.settle(program)
            show("advised")
            self._pages(program)

    def _menu(self, program: Application) -> None:
        rows = program.window.parts.sidebar.list
        program.list_on_screen.menus.open_for_chat(
            program.chats.chats()[2].id, rows.viewport().mapToGlobal(QPoint(40, 80))
        )
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, QMenu)
        for _ in popup.actions():
            QTest.keyClick(popup, Qt.Key.Key_Down)
            QTest.qWait(20)
        show("menu")
        popup.close()

    def _beside(self, program: Application) -> None:
        """What opens over or in the chat."""
        chat = program.window.parts.chat
        chat.transcript.open_find()
        QTest.keyClicks(chat.transcript._finder.bar.field, "ice")
        QTest.qWait(300)
        show("find")
        chat.transcript._finder.close()
        questions = chat.transcript._jump_list.open()
        show("questions")
        questions.close()
        program.window.activateWindow()
        search = program.window.parts.sidebar.search
        search.setText("letter" if self._language == "en" else "茶")
        QTest.qWait(500)
        show("search")
        search.clear()
        program.window.focus_message()
        QTest.keyClicks(chat.box.field, "/")
        show("templates")
        QTest.keyClick(chat.box.field, Qt.Key.Key_Escape)
        chat.box.say("")
        chat.box.otherwise.beginning_wanted.emit()
        show("beginning")
        chat.box.beginning.close_it()
        with tempfile.TemporaryDirectory() as folder:
            note = Path(folder) / "note.txt"
            note.write_text("The rent is due on the first day.\n" * 20, "utf-8")
            program.files_on_screen.add([note])
            self._scene.wait(lambda: all(
                each.attachment is not None and each.attachment.tokens
                for each in program.files_on_screen._open.files
            ))  # fmt: skip
        show("attached")
        self._dialogs(program)
        program.files_on_screen._open.remove(program.files_on_screen._open.files[0])
        chat.verbs.edit_last()
        show("edited")
        chat.transcript.findChild(EditBox).given_up.emit()

    def _dialogs(self, program: Application) -> None:
        program.files_on_screen.make_fit()
        show("choice")
        _close(program, program.window.findChild(FitDialog))
        dialog = UncountedDialog(program.look, ["note.txt"], program.window)
        dialog.open()
        show("uncounted")
        _close(program, dialog)

    def _pages(self, program: Application) -> None:
        program.inspector_on_screen.toggle()
        QTest.qWait(300)
        show("inspector")
        for number, state in ((1, "prompt"), (2, "memory")):
            program.window.parts.inspector.open_page(number)
            show(state)
        program.inspector_on_screen.toggle()
        for page in ("models", "add_model", "benchmark", "server", "monitor", "settings"):
            program.window.show_page(page)
            show(page)
            if page == "models":
                program.window.parts.models.open_details(MODELS[0])
                show("details")
                _close(program, program.window.findChild(DetailDialog))
                program.window.parts.models.explain(MODELS[2])
                show("why")
                _close(program, program.window.findChild(WhyDialog))
        program.window.parts.settings.open_section("appearance")
        show("appearance")
        program.window.parts.settings.open_section("open-chat")
        show("open_chat")
        self._forms(program)
        advisor = open_advisor(program, WRONG, MODELS[0].name)
        show("advisor")
        _close(program, advisor)
        program.aftercare.say([Path("report.txt")])
        show("crash")
        program.deeds.dismiss("crash")
        open_page(program)
        at_work(program, phase=ShrinkPhase.DONE, report=REPORT)
        show("smaller")
        asked(program, AskPhase.ASKING, ("source", Said("Ice holds on.")))
        show("asking_both")
        side = program.window.parts.smaller.report.side
        side.hide_names.click()
        answers = ("source", Said("Ice holds on.", 4.1, 4, "end_of_turn")), ("copy", Said("Ice."))
        asked(program, AskPhase.DONE, *answers, first_difference=2)
        show("compared")
        side.hide_names.click()
        alone(program)
        show("source_gone")
        at_work(program, phase=ShrinkPhase.NONE)
        program.chat_deeds.ask_to_wipe()
        show("question")
        _close(program, program.window.findChild(QuestionDialog))
        open_form(program)
        show("remote")
        dialog = program.remote.dialog
        assert dialog is not None
        dialog.reject()
        open_key_sheet(program.look, program.window)
        show("keys")
        sheet = program.window.findChild(KeySheet)
        assert sheet is not None
        sheet.reject()
        program.surroundings.about.show_licences()
        licences = program.window.findChild(LicencesDialog)
        assert licences is not None
        self._scene.wait(lambda: bool(licences.text.toPlainText()))
        show("licences")
        licences.reject()
        with update_dialog(program, Form.DEB, READY):
            show("update")
        runtime = runtime_dialog(program, FETCHING)
        show("runtime")
        _close(program, runtime)
        program.settings.change(quick_ask=True)
        on_screen = program.surroundings.quick
        on_screen.open()
        quick = on_screen.quick
        assert quick is not None
        quick.asked.emit(QUESTION)
        self._scene.wait(quick.open_as_chat.isEnabled)
        show("quick")
        on_screen.leave()

    def _forms(self, program: Application) -> None:
        """The dialogs of settings: of a model, of a chat, presets, prompts."""
        program.model_settings.open(MODELS[0])
        options = program.window.parts.chat.box.options
        names = ("whom", "what") if self._language == "en" else ("收信人", "事情")
        template = Template("letter", "".join(f"{{{{{name}}}}}" for name in names))

        def ask() -> None:
            VariablesDialog(program.look, template, program.window).open()

        for state, kind, opens in (
            ("model_settings", ModelSettingsDialog, lambda: None),
            ("chat_settings", ChatSettingsDialog, program.chat_settings.adjust),
            ("presets", PresetsDialog, program.chat_settings.manage),
            ("instructions", InstructionsDialog, options.edit_instructions),
            ("prompts", TemplatesDialog, program.templates_on_screen.edit),
            ("variables", VariablesDialog, ask),
        ):
            opens()
            show(state)
            _close(program, program.window.findChild(kind))


def _close(program: Application, dialog: QDialog) -> None:
    """Close a dialog; without a window manager nobody gives the window the focus back."""
    dialog.reject()
    program.window.activateWindow()
    QTest.qWait(50)


def show(state: str) -> None:
    """Say that a state is there, and wait until it was looked at."""
    QTest.qWait(60)
    print(f"STATE {state}", flush=True)
    asked = QEventLoop()
    answer = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    answer.activated.connect(asked.quit)
    asked.exec()
    answer.setEnabled(False)
    sys.stdin.readline()


if __name__ == "__main__":
    Stage(QApplication(sys.argv[:1]), sys.argv[1]).play()
