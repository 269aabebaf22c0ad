"""Files that go with a message, in the whole window: dropped, read, counted, chosen from, sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from app.application import Application
from app.chat.attachment import Extent
from app.ui.attachments.cards import SentCard
from app.ui.attachments.choosing import FitDialog
from app.ui.attachments.password import PasswordDialog
from app.ui.attachments.preview import PreviewDialog
from app.ui.attachments.uncounted import UncountedDialog
from app.ui.message_box import MessageBox
from engine.contract import Generate
from tests.app.conftest import Program
from tests.documents import files
from tests.doubles.engines import CONTEXT, Reply, ScriptedRunner


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def mime(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def box_of(window: Application) -> MessageBox:
    return window.window.parts.chat.box


def attach(program: Program, window: Application, *paths: Path) -> None:
    """Attach files and wait until they are read and counted."""
    window.files_on_screen.add(list(paths))
    program.qtbot.waitUntil(lambda: is_counted(window), timeout=15_000)


def is_counted(window: Application) -> bool:
    held = window.files_on_screen._open
    return held is not None and all(
        each.attachment is not None and each.attachment.tokens > 0 for each in held.files
    )


def dialog_of(window: Application, kind: type) -> object:
    found = window.window.findChildren(kind)
    assert found, kind
    return found[-1]


def notices_of(window: Application) -> str:
    return " ".join(label.text() for label in window.window.notices.findChildren(QLabel))


def press_enter(window: Application) -> None:
    QTest.keyClick(box_of(window).field, Qt.Key.Key_Return)


def asked(program: Program) -> list[Generate]:
    return [each for each in program.runner.commands if isinstance(each, Generate)]


def test_a_file_becomes_a_card_goes_with_the_message_and_stays_on_its_turn(
    program: Program, tmp_path: Path
) -> None:
    window = program.start_ready(ScriptedRunner([Reply("1150.")]))
    attach(program, window, files.pdf(tmp_path / "lease.pdf", ["The rent is 1150", "Deposit"]))
    box = box_of(window)
    (card,) = box.files.cards
    assert "lease.pdf · 2 pages · " in card.face.accessibleName().replace(
        "Show what the model reads of ", ""
    )
    card.face.click()
    preview = dialog_of(window, PreviewDialog)
    assert isinstance(preview, PreviewDialog)
    assert preview.text.toPlainText() == "[Page 1]\nThe rent is 1150\n\n[Page 2]\nDeposit"
    preview.accept()
    box.say("How much?")
    press_enter(window)
    program.qtbot.waitUntil(lambda: bool(asked(program)))
    content = asked(program)[0].messages[-1].content
    assert content.startswith('Attached file "lease.pdf":\n```\n[Page 1]')
    assert content.endswith("How much?")
    assert not box.files.isVisible()
    sent = window.window.parts.chat.transcript.findChildren(SentCard)
    assert len(sent) == 1
    sent[0].face.click()
    assert isinstance(dialog_of(window, PreviewDialog), PreviewDialog)


def test_files_are_dropped_on_the_page_and_the_box_says_so(
    program: Program, tmp_path: Path
) -> None:
    window = program.start_ready()
    page, veil = window.window.parts.chat, window.files_on_screen.veil
    data = mime(written(tmp_path / "租房合同.txt", "押金 800"))
    enter = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(page, enter)
    assert enter.isAccepted()
    assert veil.isVisible()
    assert veil._words.text() == "Let go to attach 租房合同.txt"
    drop = QDropEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(page, drop)
    assert not veil.isVisible()
    program.qtbot.waitUntil(lambda: is_counted(window), timeout=15_000)
    assert len(box_of(window).files.cards) == 1


def test_files_are_pasted_text_stays_text_and_a_picture_is_explained(
    program: Program, tmp_path: Path
) -> None:
    window = program.start_ready()
    field = box_of(window).field
    field.insertFromMimeData(mime(written(tmp_path / "a.py", "print(1)")))
    assert field.toPlainText() == ""
    program.qtbot.waitUntil(lambda: is_counted(window), timeout=15_000)
    picture = QMimeData()
    picture.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    assert field.canInsertFromMimeData(picture)
    field.insertFromMimeData(picture)
    assert "Text in pictures cannot be read here" in notices_of(window)


def test_S11_what_does_not_fit_is_not_sent_but_asked_about(
    program: Program, tmp_path: Path
) -> None:
    """The secret stands in the first line; the double counts words, and has room for few."""
    window = program.start_ready(ScriptedRunner([Reply("ok")]))
    text = "The secret is 4711.\n" + "Many more words stand on this line of the file.\n" * CONTEXT
    attach(program, window, written(tmp_path / "long.txt", text))
    box = box_of(window)
    assert "The files do not fit" in box.files._words.text()
    box.say("What is the secret?")
    press_enter(window)
    assert asked(program) == []
    assert box.text() == "What is the secret?"
    dialog = dialog_of(window, FitDialog)
    assert isinstance(dialog, FitDialog)
    assert dialog.choice.extent is Extent.RELEVANT
    dialog.choices[Extent.BEGINNING].setChecked(True)
    dialog.tokens.setValue(200)
    dialog.keep.click()
    held = window.files_on_screen._open
    assert held is not None

    def is_short() -> bool:
        attachment = held.files[0].attachment
        return attachment is not None and 0 < attachment.tokens <= 200

    program.qtbot.waitUntil(is_short, timeout=15_000)
    assert not box.files._warning.isVisible()
    press_enter(window)
    program.qtbot.waitUntil(lambda: bool(asked(program)))
    content = asked(program)[0].messages[-1].content
    assert "The secret is 4711." in content
    assert 'file "long.txt" (only its beginning, ' in content


def test_pages_are_picked_by_number_and_the_card_says_which(
    program: Program, tmp_path: Path
) -> None:
    window = program.start_ready()
    path = files.pdf(tmp_path / "a.pdf", [f"Words of page {k}" for k in range(1, 9)])
    attach(program, window, path)
    window.files_on_screen.make_fit()
    dialog = dialog_of(window, FitDialog)
    assert isinstance(dialog, FitDialog)
    dialog.choices[Extent.PARTS].setChecked(True)
    assert not dialog.keep.isEnabled()
    QTest.keyClicks(dialog.parts.numbers, "2-3, 8")
    assert dialog.parts.chosen == {2, 3, 8}
    dialog.keep.click()
    cards = box_of(window).files
    program.qtbot.waitUntil(
        lambda: "pages 2–3, 8 of 8" in cards.cards[0].face.accessibleName(), timeout=15_000
    )
    window.files_on_screen.make_fit()
    again = dialog_of(window, FitDialog)
    assert isinstance(again, FitDialog)
    again.left_out.emit()
    assert not box_of(window).files.isVisible()


def test_a_locked_pdf_asks_for_its_password_and_again_when_it_is_wrong(
    program: Program, tmp_path: Path
) -> None:
    window = program.start_ready()
    window.files_on_screen.add([files.locked_pdf(tmp_path / "locked.pdf", "Secret", "open")])
    for password in ("wrong", "open"):
        program.qtbot.waitUntil(
            lambda: any(d.isVisible() for d in window.window.findChildren(PasswordDialog)),
            timeout=15_000,
        )
        dialog = dialog_of(window, PasswordDialog)
        assert isinstance(dialog, PasswordDialog)
        QTest.keyClicks(dialog.field, password)
        dialog.open_it.click()
    program.qtbot.waitUntil(lambda: is_counted(window), timeout=15_000)
    assert box_of(window).files.cards[0].face.isEnabled()


def test_what_cannot_be_read_is_named_with_its_reason(program: Program, tmp_path: Path) -> None:
    window = program.start_ready()
    (tmp_path / "bad.docx").write_bytes(b"PK\x03\x04nothing")
    window.files_on_screen.add([tmp_path / "bad.docx"])
    program.qtbot.waitUntil(lambda: "bad.docx" in notices_of(window), timeout=15_000)
    assert "It is damaged" in notices_of(window)
    assert not box_of(window).files.isVisible()


def test_a_draft_keeps_its_files_over_chats_and_starts(program: Program, tmp_path: Path) -> None:
    window = program.start_ready()
    attach(program, window, written(tmp_path / "notes.md", "# Words\nfor later"))
    window.chats_on_screen.new()
    window.chats_on_screen.step(1)
    assert len(box_of(window).files.cards) == 1
    program.end()
    again = program.start()
    cards = box_of(again).files.cards
    assert len(cards) == 1
    assert "notes.md" in cards[0].face.accessibleName()
    box_of(again).files.removed.emit(again.files_on_screen._open.files[0])  # type: ignore[union-attr]
    assert not box_of(again).files.isVisible()


def test_the_clip_opens_the_system_s_choice_of_files(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = program.start_ready()
    opened: list[QFileDialog] = []

    def show(dialog: QFileDialog) -> None:
        opened.append(dialog)

    monkeypatch.setattr(QFileDialog, "open", show)
    box_of(window).attach.click()
    opened[0].filesSelected.emit([str(written(tmp_path / "a.txt", "words"))])
    program.qtbot.waitUntil(lambda: is_counted(window), timeout=15_000)


def test_S11_enter_before_the_files_are_counted_waits_and_sends_by_itself(
    program: Program, tmp_path: Path
) -> None:
    window = program.start_ready(ScriptedRunner([Reply("1150.")]))
    box = box_of(window)
    window.files_on_screen.add([written(tmp_path / "short.txt", "The rent is 1150.")])
    box.field.setPlainText("How much?")
    press_enter(window)
    assert asked(program) == []
    assert "goes as soon as that is done" in notices_of(window)
    program.qtbot.waitUntil(lambda: bool(asked(program)), timeout=15_000)
    assert "The rent is 1150." in asked(program)[0].messages[-1].content
    assert box.text() == ""


def test_S11_a_long_file_sent_before_it_is_counted_is_asked_about_not_sent(
    program: Program, tmp_path: Path
) -> None:
    window = program.start_ready()
    long = "SECRET in the first line\n" + "many words here\n" * CONTEXT
    window.files_on_screen.add([written(tmp_path / "long.txt", long)])
    box_of(window).field.setPlainText("What is the secret?")
    press_enter(window)
    program.qtbot.waitUntil(lambda: bool(window.window.findChildren(FitDialog)), timeout=15_000)
    assert asked(program) == []
    dialog_of(window, FitDialog).reject()  # type: ignore[attr-defined]


def test_what_waits_for_its_files_goes_nowhere_when_another_chat_is_opened(
    program: Program, tmp_path: Path
) -> None:
    window = program.start_ready()
    window.files_on_screen.add([written(tmp_path / "short.txt", "The rent is 1150.")])
    box_of(window).field.setPlainText("How much?")
    press_enter(window)
    window.chats_on_screen.new_temporary()
    held = window.files_on_screen._drafts
    program.qtbot.waitUntil(
        lambda: not any(each.is_waiting for each in held.values()), timeout=15_000
    )
    program.qtbot.wait(50)
    assert asked(program) == []


def choose_pages(window: Application, numbers: str) -> None:
    window.files_on_screen.make_fit()
    dialog = dialog_of(window, FitDialog)
    assert isinstance(dialog, FitDialog)
    dialog.choices[Extent.PARTS].setChecked(True)
    QTest.keyClicks(dialog.parts.numbers, numbers)
    dialog.keep.click()


def face_of(window: Application) -> str:
    return box_of(window).files.cards[0].face.accessibleName()


def test_after_a_start_other_pages_of_a_draft_s_file_can_be_chosen(
    program: Program, tmp_path: Path
) -> None:
    """The file itself is gone by then: what was read of it is kept whole, not what was chosen."""
    window = program.start_ready()
    path = files.pdf(tmp_path / "a.pdf", [f"Words of page {k}" for k in range(1, 9)])
    attach(program, window, path)
    choose_pages(window, "2")
    program.qtbot.waitUntil(lambda: "page 2 of 8" in face_of(window), timeout=15_000)
    program.qtbot.waitUntil(lambda: is_counted(window), timeout=15_000)
    path.unlink()
    program.end()
    again = program.start_ready()
    held = again.files_on_screen._open
    assert held is not None

    def has_all_pages() -> bool:
        document = held.files[0].document
        return document is not None and len(document.parts) == 8

    program.qtbot.waitUntil(has_all_pages, timeout=15_000)
    choose_pages(again, "3, 5-6")
    program.qtbot.waitUntil(lambda: "pages 3, 5–6 of 8" in face_of(again), timeout=15_000)
    program.qtbot.waitUntil(lambda: is_counted(again), timeout=15_000)
    press_enter(again)
    program.qtbot.waitUntil(lambda: bool(asked(program)), timeout=15_000)
    content = asked(program)[0].messages[-1].content
    assert "Words of page 5" in content
    assert "Words of page 2" not in content
    store = again.saving.store
    again.window.parts.chat.session.unsent.save()  # type: ignore[union-attr]
    assert store.database.flush()
    assert store.database.read("SELECT count(*) FROM draft_documents") == [(0,)]


def test_a_draft_s_documents_take_bounded_room(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past the bound a file joins the draft as before; only its other parts are forgotten."""
    monkeypatch.setattr("app.store.drafts.MOST_BYTES", 400)
    window = program.start_ready()
    for name in ("a.txt", "b.txt"):
        noise = "".join(chr(0x4E00 + (7919 * k * (3 + len(name))) % 20_000) for k in range(90))
        attach(program, window, written(tmp_path / name, noise + name))
    store = window.saving.store
    assert store.database.flush()
    assert store.database.read("SELECT count(*) FROM draft_documents") == [(1,)]
    assert len(box_of(window).files.cards) == 2


def test_a_file_that_cannot_be_counted_is_said_and_asked_about(
    program: Program, tmp_path: Path
) -> None:
    """Neither hangs nor goes by itself: sent all the same, or without the file, when asked."""
    window = program.start_ready(ScriptedRunner([Reply("ok")], uncountable="rogue"))
    box = box_of(window)
    window.files_on_screen.add([written(tmp_path / "odd.txt", "a rogue file")])
    box.field.setPlainText("What is in it?")
    press_enter(window)
    program.qtbot.waitUntil(
        lambda: bool(window.window.findChildren(UncountedDialog)), timeout=15_000
    )
    assert "could not count odd.txt" in box.files._words.text()
    assert asked(program) == []
    assert box.text() == "What is in it?"
    first = dialog_of(window, UncountedDialog)
    assert isinstance(first, UncountedDialog)
    first.reject()
    program.qtbot.waitUntil(lambda: not window.window.findChildren(UncountedDialog))
    press_enter(window)
    again = dialog_of(window, UncountedDialog)
    assert isinstance(again, UncountedDialog)
    again.send.click()
    program.qtbot.waitUntil(lambda: bool(asked(program)), timeout=15_000)
    assert "a rogue file" in asked(program)[0].messages[-1].content


def test_a_file_that_cannot_be_counted_can_be_left_out(program: Program, tmp_path: Path) -> None:
    window = program.start_ready(ScriptedRunner(uncountable="rogue"))
    window.files_on_screen.add([written(tmp_path / "odd.txt", "a rogue file")])
    box_of(window).field.setPlainText("Hello")
    press_enter(window)
    program.qtbot.waitUntil(
        lambda: bool(window.window.findChildren(UncountedDialog)), timeout=15_000
    )
    dialog_of(window, UncountedDialog).drop.click()  # type: ignore[attr-defined]
    assert not box_of(window).files.isVisible()
    press_enter(window)
    program.qtbot.waitUntil(lambda: bool(asked(program)), timeout=15_000)
    assert asked(program)[0].messages[-1].content == "Hello"


def test_files_come_and_go_while_a_sent_question_is_changed(
    program: Program, tmp_path: Path
) -> None:
    """The new version has the files of the box, the old one keeps its own."""
    window = program.start_ready(ScriptedRunner([Reply("one"), Reply("two")]))
    page = window.window.parts.chat
    attach(program, window, written(tmp_path / "old.txt", "The rent is 1150."))
    box_of(window).say("How much?")
    press_enter(window)
    session = page.session
    assert session is not None
    program.qtbot.waitUntil(lambda: len(session.path()) == 2 and not session.state.busy)
    page.verbs.edit_last()
    widget = page.transcript.turn_widget(session.path()[0].id)
    assert widget is not None
    edit = widget.edit_box
    assert edit is not None
    (card,) = edit.files.cards
    assert "old.txt" in card.face.accessibleName()
    card.removed.emit()
    assert edit.files.cards == []
    edit.field.insertFromMimeData(mime(written(tmp_path / "new.txt", "The rent is 1200.")))
    assert not edit._go.isEnabled()
    program.qtbot.waitUntil(edit._go.isEnabled, timeout=15_000)
    edit._go.click()
    program.qtbot.waitUntil(lambda: len(asked(program)) == 2)
    content = asked(program)[1].messages[-1].content
    assert "1200" in content
    assert "1150" not in content
    program.qtbot.waitUntil(lambda: not session.state.busy)
    session.show_version(session.path()[0].id, -1)
    assert [each.name for each in session.path()[0].attachments] == ["old.txt"]
    sent = page.transcript.turn_widget(session.path()[0].id)
    assert sent is not None
    assert len(sent.findChildren(SentCard)) == 1


def test_a_changed_question_whose_files_do_not_fit_is_not_answered(
    program: Program, tmp_path: Path
) -> None:
    window = program.start_ready(ScriptedRunner([Reply("one")]))
    page = window.window.parts.chat
    box_of(window).say("How much?")
    press_enter(window)
    session = page.session
    assert session is not None
    program.qtbot.waitUntil(lambda: len(session.path()) == 2 and not session.state.busy)
    page.verbs.edit_last()
    edit = page.transcript.turn_widget(session.path()[0].id).edit_box  # type: ignore[union-attr]
    assert edit is not None
    long = written(tmp_path / "long.txt", "many words here\n" * CONTEXT)
    edit.field.insertFromMimeData(mime(long))
    program.qtbot.waitUntil(lambda: edit.files.warns, timeout=15_000)
    assert not edit._go.isEnabled()
    edit.files.fit.click()
    dialog = dialog_of(window, FitDialog)
    assert isinstance(dialog, FitDialog)
    dialog.choices[Extent.BEGINNING].setChecked(True)
    dialog.tokens.setValue(100)
    dialog.keep.click()
    program.qtbot.waitUntil(edit._go.isEnabled, timeout=15_000)
    assert not edit.files.warns
    edit.given_up.emit()
