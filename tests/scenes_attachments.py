"""Pictures of files that go with a message: cards, drop, preview, the choice, the sent turn."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from app.application import Application
from app.chat.attachment import Extent
from app.ui.attachments.choosing import FitDialog
from app.ui.attachments.uncounted import UncountedDialog
from app.ui.transcript.editing import EditBox
from tests import screenshot_texts as texts
from tests.documents import files
from tests.doubles.engines import Reply
from tests.studio import Scene, Studio

LEASE = [f"Clause {k}. The tenant pays 1150 on the first day of the month." for k in range(1, 13)]
LONG_NAME = "Protokoll-der-Eigentümerversammlung-vom-3.-März-2026-endgültige-Fassung.txt"


def attachments(scene: Scene) -> None:
    """In English and light: one file, several, too long, sent; then narrow."""
    _pictures(scene, "attached", "How much is the deposit, and when is it due?")


def attachments_dark_zh(scene: Scene) -> None:
    """The same in Chinese and dark."""
    _pictures(scene, "attached-dark-zh", "押金是多少，什么时候付？", theme="dark", language="zh_CN")


def _pictures(scene: Scene, name: str, question: str, **settings: str) -> None:
    runner = Studio([Reply("The deposit is 800, due with the first rent.")])
    with (
        tempfile.TemporaryDirectory() as home,
        scene.window(runner, texts.CHATS, **settings) as program,
    ):
        folder = Path(home)
        scene.load(program, "Qwen3 4B")
        box = program.window.parts.chat.box
        lease = files.pdf(folder / "租房合同 lease.pdf", LEASE)
        program.files_on_screen.add([lease])
        _counted(scene, program)
        box.say(question)
        scene.shoot(program, name)
        long = folder / LONG_NAME
        long.write_text("Words of a long protocol stand here.\n" * 1500, "utf-8")
        rows = files.xlsx(folder / "费用 2026.xlsx", {"三月": [["a", 1]], "四月": [["b", 2]]})
        program.files_on_screen.add([rows, long])
        _counted(scene, program)
        scene.shoot(program, f"{name}-too-long")
        program.window.resize(720, 700)
        scene.shoot(program, f"{name}-narrow")
        program.window.resize(1280, 832)
        program.files_on_screen.make_fit()
        _dialog(scene, program, f"{name}-choice")
        held = program.files_on_screen._open
        program.files_on_screen._choose(held, held.files[0], box.room, question)
        _dialog(scene, program, f"{name}-pages", _by_pages)
        box.files.cards[0].face.click()
        _dialog(scene, program, f"{name}-preview")
        program.files_on_screen._open.remove(program.files_on_screen._open.files[2])
        veil = program.files_on_screen.veil
        scene.ask(program, question)
        scene.settle(program)
        scene.shoot(program, f"{name}-sent")
        _edited(scene, program, f"{name}-edited", long)
        (folder / "bad.docx").write_bytes(b"PK\x03\x04nothing")
        program.files_on_screen.add([files.pdf(folder / "scan.pdf", ["", ""]), folder / "bad.docx"])
        scene.wait(lambda: not program.files_on_screen._open.files)
        veil._words.setText(program.look.language.text("file-drop-one", name="lease.pdf"))
        veil._about.setText(program.look.language.text("file-drop-about"))
        corner = box.mapTo(program.window.parts.chat, box.rect().topLeft())
        veil.setGeometry(box.rect().translated(corner))
        veil.show()
        veil.raise_()
        scene.shoot(program, f"{name}-refused")


def _edited(scene: Scene, program: Application, name: str, more: Path) -> None:
    """The question being changed with a second file; then what is asked of uncounted ones."""
    page = program.window.parts.chat
    page.verbs.edit_last()
    edit = page.transcript.findChild(EditBox)
    edit.field.files_pasted.emit([more])
    scene.wait(lambda: len(edit.files.cards) > 1 and edit._keep.isEnabled())
    scene.shoot(program, name)
    edit.given_up.emit()
    UncountedDialog(program.look, [more.name], program.window).open()
    _dialog(scene, program, f"{name}-uncounted")


def _by_pages(dialog: QDialog) -> None:
    if isinstance(dialog, FitDialog):
        dialog.choices[Extent.PARTS].setChecked(True)
        dialog.parts.numbers.setText("2–4, 9")
        dialog.parts.numbers.textEdited.emit("2–4, 9")


def _counted(scene: Scene, program: Application) -> None:
    scene.wait(
        lambda: all(
            each.attachment is not None and each.attachment.tokens
            for each in program.files_on_screen._open.files
        )
    )


def _dialog(
    scene: Scene,
    program: Application,
    name: str,
    change: Callable[[QDialog], None] = lambda dialog: None,
) -> None:
    dialog = QApplication.activeModalWidget()
    if isinstance(dialog, QDialog):
        change(dialog)
        scene.wait(dialog.isVisible)
        dialog.grab()
        dialog.repaint()
        picture = dialog.grab()
        picture.save(str(scene._out / f"{name}.png"))
        print(scene._out / f"{name}.png")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=True)
        dialog.reject()


def templates(scene: Scene) -> None:
    """The list after a slash, a question, the editor; then the list in Chinese, dark and narrow."""
    with scene.window(Studio(), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        program.settings.change(templates=("standup\nWhat did {{name}} do yesterday? Be brief.",))
        program.templates_on_screen._refresh()
        field = program.window.parts.chat.box.field
        field.setFocus()
        QTest.keyClicks(field, "/")
        scene.shoot(program, "templates-list")
        QTest.keyClick(field, Qt.Key.Key_Up)
        QTest.keyClick(field, Qt.Key.Key_Up)
        QTest.keyClick(field, Qt.Key.Key_Return)
        _dialog(scene, program, "templates-question")
        program.templates_on_screen.edit()
        _dialog(scene, program, "templates-editor")
    with scene.window(Studio(), texts.CHATS, theme="dark", language="zh_CN") as program:
        scene.load(program, "Qwen3 4B")
        program.window.resize(720, 560)
        field = program.window.parts.chat.box.field
        field.setFocus()
        QTest.keyClicks(field, "/")
        scene.shoot(program, "templates-list-dark-zh")
        program.templates_on_screen.edit()
        _dialog(scene, program, "templates-editor-dark-zh")
