"""Turns on paper: what is shown, what can be done, what is announced."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.chat.attachment import Attachment
from app.chat.turn import TurnState
from app.language import Language
from app.ui.clipboard import release_clipboard
from app.ui.theme import Theme
from app.ui.transcript import Transcript
from app.ui.transcript.code import CodeFrame, CopyButton
from app.ui.transcript.prose import Prose
from app.ui.transcript.selected_text import selected_text
from app.ui.transcript.tables import TableView
from app.ui.transcript.waiting import Waiting
from engine.contract import Fault, FaultKind
from tests.ui.transcript.conftest import FIGURES, Open, growing, question, reply

EVERYTHING = """Words with `code`, **bold** and a [link](https://example.com/a).

| Name | Count |
|---|---|
| a | 1 |

```python
print("hello")
```

- one
- two

> said
"""


def shown(widget: QWidget | None) -> str:
    assert widget is not None
    return "\n".join(whole_text(edit) for edit in widget.findChildren(Prose))


def whole_text(edit: Prose) -> str:
    cursor = QTextCursor(edit.document())
    cursor.select(QTextCursor.SelectionType.Document)
    return selected_text(cursor)


def button(widget: QWidget | None, name: str) -> QAbstractButton:
    assert widget is not None
    return next(b for b in widget.findChildren(QAbstractButton) if b.accessibleName() == name)


def test_a_reply_is_made_of_native_blocks(opened: Open) -> None:
    widget = opened(question(1, "Hi"), reply(2, EVERYTHING)).turn_widget(2)
    assert widget is not None
    assert len(widget.findChildren(TableView)) == 1
    assert len(widget.findChildren(CodeFrame)) == 1
    assert shown(widget).split("\n")[0] == "Words with code, bold and a link."


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("M14", "what is enclosed in <>\n<channel>"),
        ("M15", "<h1>AAA</h1>"),
        ("M17", "test\n<test>\ntest"),
        ("M19", "SELECT 1 WHERE a < b AND c > d"),
        ("M20", "<script>alert(1)</script> [x](javascript:alert(1))"),
        ("M21", "<img src=x onerror=alert(1)>"),
        ("stars", "**not bold** and $5"),
    ],
)
def test_M14_M15_M17_M19_M20_M21_questions_are_literal(opened: Open, case: str, text: str) -> None:
    assert shown(opened(question(1, text)).turn_widget(1)) == text


def test_M21_a_model_named_like_a_tag_is_text(opened: Open) -> None:
    turn = replace(reply(2, "Hi", figures=FIGURES), model="<b>bold</b>&lt;")
    tagged = opened(question(1, "x"), turn, question(3, "y"), reply(4, "z")).turn_widget(2)
    assert tagged is not None
    labels = tagged.actions_row.findChildren(QLabel)
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)
    assert turn.model in "".join(label.text() for label in labels)


def test_M23_nothing_is_fetched_and_a_click_asks_the_system(
    opened: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: asked.append(url.toString()))
    address = "https://host.invalid/p.png?leak=SECRET"
    transcript = opened(question(1, "x"), reply(2, f"![x]({address})"))
    widget = transcript.turn_widget(2)
    assert address in shown(widget)
    assert asked == []
    assert widget is not None
    (prose,) = widget.findChildren(Prose)
    with qtbot.waitSignal(transcript.link_opened) as signal:
        qtbot.mouseClick(
            prose.viewport(), Qt.MouseButton.LeftButton, pos=prose.caret().center() - QPoint(20, 0)
        )
    assert asked == signal.args == [address]


def test_only_safe_links_open(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", asked.append)
    transcript = opened()
    for address in ("javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", ""):
        transcript.open_link(address)
    assert asked == []


def test_I10_every_control_has_a_name(opened: Open) -> None:
    turns = [question(1, "Hi", version=1, versions=2), reply(2, EVERYTHING, reasoning="hm")]
    turns += [question(3, "x"), reply(4, "cut", state=TurnState.CUT, figures=FIGURES)]
    transcript = opened(*turns)
    transcript.edit_turn(1)
    buttons = transcript.findChildren(QAbstractButton)
    assert len(buttons) > 20
    for each in buttons:
        assert each.accessibleName() or each.text(), each
        assert "object" not in each.accessibleName()
    assert transcript.accessibleName() == "Conversation"


def test_copying_gives_markdown_and_code_gives_its_text(opened: Open, qtbot: QtBot) -> None:
    widget = opened(question(1, "Hi"), reply(2, EVERYTHING)).turn_widget(2)
    assert widget is not None
    button(widget, "Copy as Markdown").click()
    assert QGuiApplication.clipboard().text() == EVERYTHING
    (frame,) = widget.findChildren(CodeFrame)
    frame.copy_button.click()
    assert QGuiApplication.clipboard().text() == 'print("hello")'
    assert frame.copy_button.accessibleName() == "Copied"
    widget.actions_row.plain_copy_requested.emit()
    assert "**" not in QGuiApplication.clipboard().text()


def test_selected_inline_code_is_copied_without_its_padding(opened: Open) -> None:
    widget = opened(question(1, "Hi"), reply(2, "a `b c` d")).turn_widget(2)
    assert widget is not None
    (prose,) = widget.findChildren(Prose)
    prose.selectAll()
    assert prose.createMimeDataFromSelection().text() == "a b c d"


def test_actions_name_their_turn(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(
        question(1, "Hi", version=2, versions=3), reply(2, "cut", state=TurnState.STOPPED)
    )
    for name, signal, turn, expected in (
        ("Answer again", transcript.regenerate_requested, 1, [1]),
        ("Version before", transcript.version_requested, 1, [1, -1]),
        ("Version after", transcript.version_requested, 1, [1, 1]),
        ("Branch into a new chat", transcript.branch_requested, 2, [2]),
        ("Continue", transcript.continue_requested, 2, [2]),
    ):
        with qtbot.waitSignal(signal) as heard:
            button(transcript.turn_widget(turn), name).click()
        assert heard.args == expected


def test_actions_show_on_hover_and_on_keyboard_focus(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "Hi"), reply(2, "Yes"), question(3, "So"), reply(4, "No"))
    first, last = transcript.turn_widget(1), transcript.turn_widget(4)
    assert first is not None
    assert last is not None
    assert last.actions_row.is_shown, "the newest reply's always show"
    assert not first.actions_row.is_shown
    first.actions_row.set_over(True)
    assert first.actions_row.is_shown
    first.actions_row.set_over(False)
    transcript.activateWindow()
    button(first, "Copy as Markdown").setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: first.actions_row.is_shown)


def test_editing_in_place(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "Hi"), reply(2, "Yes"))
    transcript.edit_turn(1)
    widget = transcript.turn_widget(1)
    assert widget is not None
    assert widget.edit_box is not None
    field = widget.edit_box.field
    assert field.toPlainText() == "Hi"
    field.setPlainText("Hello")
    with qtbot.waitSignal(transcript.edit_submitted) as heard:
        button(widget, "Save only").click()
    assert heard.args == [1, "Hello", False, ()]
    assert widget.edit_box is None
    widget.start_editing()
    assert widget.edit_box is not None
    with qtbot.waitSignal(transcript.edit_submitted) as heard:
        qtbot.keyClick(
            widget.edit_box.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier
        )
    assert heard.args == [1, "Hi", True, ()]
    widget.start_editing()
    assert widget.edit_box is not None
    qtbot.keyClick(widget.edit_box.field, Qt.Key.Key_Escape)
    assert widget.edit_box is None


def test_R1_a_reply_without_an_answer_shows_its_thought(opened: Open) -> None:
    widget = opened(question(1, "x"), reply(2, "", reasoning="Hello! How are you?")).turn_widget(2)
    assert "Hello! How are you?" in shown(widget)


def test_a_thought_is_closed_and_opens(opened: Open) -> None:
    turn = reply(2, "Answer", reasoning="Because", figures=FIGURES)
    widget = opened(question(1, "x"), turn).turn_widget(2)
    assert "Because" not in shown(widget)
    button(widget, "Thought for 3 s 121 tokens").click()
    assert "Because" in shown(widget)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (TurnState.STOPPED, "Stopped after 418 tokens"),
        (TurnState.CUT, "Cut off after 418 tokens: the limit was reached"),
        (TurnState.INTERRUPTED, "The program ended while this was written"),
    ],
)
def test_an_unfinished_reply_says_why(opened: Open, state: TurnState, words: str) -> None:
    widget = opened(question(1, "x"), reply(2, "Yes", state=state, figures=FIGURES)).turn_widget(2)
    assert widget is not None
    assert words in [label.text() for label in widget.findChildren(QLabel)]


def test_a_broken_reply_keeps_its_text_and_offers_a_remedy(opened: Open, qtbot: QtBot) -> None:
    fault = Fault(
        FaultKind.MEMORY_SHORT, {"needed": 5_100_000_000, "free": 3_200_000_000, "context": 8192}
    )
    transcript = opened(question(1, "x"), reply(2, "Yes", state=TurnState.FAILED, fault=fault))
    widget = transcript.turn_widget(2)
    assert shown(widget) == "Yes"
    with qtbot.waitSignal(transcript.fault_action_requested) as heard:
        button(widget, "Use 4,096").click()
    assert heard.args == [2, False]
    with qtbot.waitSignal(transcript.fault_action_requested) as heard:
        button(widget, "What is wrong?").click()
    assert heard.args == [2, True]


def test_every_text_exists_in_both_languages_and_follows_the_switch(
    opened: Open, language: Language, theme: Theme
) -> None:
    turn = reply(2, "Yes", reasoning="hm", figures=FIGURES, state=TurnState.STOPPED)
    transcript: Transcript = opened(question(1, "x"), turn)
    language.use("zh_CN")
    theme.use("dark", 1.25)
    widget = transcript.turn_widget(2)
    assert widget is not None
    assert "写了 418 个词元后停下" in [label.text() for label in widget.findChildren(QLabel)]
    assert button(widget, "想了 3 秒 121 个词元")
    (prose,) = [each for each in widget.findChildren(Prose) if each.isVisible()]
    assert prose.height() == round(25 * 1.25)


def test_M34_hebrew_is_set_from_the_right(opened: Open) -> None:
    text = "אני בונה פרויקט חדש עם Next.js ו-TypeScript."
    widget = opened(question(1, "x"), reply(2, text)).turn_widget(2)
    assert widget is not None
    (prose,) = widget.findChildren(Prose)
    line = prose.document().firstBlock().layout().lineAt(0)
    assert prose.document().firstBlock().textDirection() is Qt.LayoutDirection.RightToLeft
    assert line.naturalTextRect().right() > prose.width() - 3


def test_M34_the_full_stop_of_an_arabic_sentence_stands_at_its_left(opened: Open) -> None:
    text = "هذه جملة عربية مع Python في الوسط."
    widget = opened(question(1, "x"), reply(2, text)).turn_widget(2)
    assert widget is not None
    (prose,) = widget.findChildren(Prose)
    line = prose.document().firstBlock().layout().lineAt(0)
    at = [line.cursorToX(place)[0] for place in range(len(text) + 1)]  # type: ignore[index]
    assert at[-1] == min(at)
    assert at[0] == max(at)


def test_M9_the_copy_button_copies_the_inner_fences_too(opened: Open) -> None:
    inner = "# T\n```\nplain\n```\n```json\n{}\n```"
    widget = opened(question(1, "x"), reply(2, f"```markdown\n{inner}\n```")).turn_widget(2)
    assert widget is not None
    widget.findChildren(CopyButton)[0].click()
    assert QGuiApplication.clipboard().text() == inner


def test_tab_goes_from_top_to_bottom(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "Hi"), reply(2, EVERYTHING))
    transcript.activateWindow()
    transcript.setFocus()
    heights: list[int] = []
    for _ in range(12):
        transcript.focusNextPrevChild(True)
        now = transcript.window().focusWidget()
        if now is None or not transcript.isAncestorOf(now):
            break
        heights.append(now.mapTo(transcript, QPoint(0, now.height() // 2)).y())
    assert len(heights) > 8
    assert heights == sorted(heights)


def test_a_reply_is_copied_as_rich_text_with_its_source_beside(opened: Open) -> None:
    transcript = opened(question(1, "Q"), reply(2, "**Bold** words\n\n| a |\n|---|\n| 1 |"))
    widget = transcript.turn_widget(2)
    assert widget is not None
    widget.actions_row.rich_copy_requested.emit()
    data = QGuiApplication.clipboard().mimeData()
    assert data.text().startswith("**Bold** words")
    assert "<strong>Bold</strong>" in data.html()
    assert "<table>" in data.html()
    release_clipboard()


def test_a_program_that_copied_rich_text_ends_without_a_crash() -> None:
    code = (
        "from PySide6.QtWidgets import QApplication; app = QApplication([]);"
        "from app.ui.clipboard import copy_rich, release_clipboard; copy_rich('**x**');"
        "release_clipboard(); print(repr(app.clipboard().text()))"
    )
    root = Path(__file__).parent.parent.parent.parent
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, "'**x**'")


def test_the_line_before_the_first_word_names_the_file_that_is_read(opened: Open) -> None:
    files = (Attachment("lease.pdf", "pdf", "x"), Attachment("b.txt", "text", "x"))
    transcript = opened(question(1, "Q", attachments=files[:1]), growing(2))
    widget = transcript.turn_widget(2)
    assert widget is not None
    (line,) = widget.findChildren(Waiting)
    assert line.accessibleName() == "Reading lease.pdf…"
    transcript.show_path([question(3, "Q", attachments=files), growing(4)])
    (line,) = transcript.turn_widget(4).findChildren(Waiting)  # type: ignore[union-attr]
    assert line.accessibleName() == "Reading 2 files…"
