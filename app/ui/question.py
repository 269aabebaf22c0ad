"""A question in the look of the window, its answers as buttons; to do nothing is one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.words import Plain, wrapped


@dataclass(frozen=True, slots=True)
class Answer:
    """A button.

    Attributes:
        text_id: what it says.
        act: what it does.
        kind: how it looks: "main", "danger" or "".
    """

    text_id: str
    act: Callable[[], object]
    kind: str = ""


class QuestionDialog(QDialog):
    """Asks; Enter and Escape do nothing to what is asked about, unless an answer is "main".

    Args:
        look: of the window.
        question: in bold.
        about: what each answer means.
        answers: from left to right, the usual one last.
        parent: the window.
    """

    def __init__(
        self, look: Look, question: str, about: str, answers: Sequence[Answer], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(question)
        self.setAccessibleDescription(about)
        self.cancel = Button(look, "cancel", "" if answers[-1].kind == "danger" else "quiet")
        self.cancel.clicked.connect(self.reject)
        self.answers = [Button(look, each.text_id, each.kind) for each in answers]
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch()
        for button in (self.cancel, *self.answers):
            buttons.addWidget(button)
        for button, answer in zip(self.answers, answers, strict=True):
            button.clicked.connect(self.accept)
            button.clicked.connect(lambda _=False, act=answer.act: act())
        usual = self.answers[-1] if answers[-1].kind == "main" else self.cancel
        usual.setDefault(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(wrapped(Plain(question, "title")))
        column.addWidget(wrapped(Plain(about, "small2")))
        column.addStretch()
        column.addLayout(buttons)
        self.resize(max(480, self.sizeHint().width()), 180)
        QTimer.singleShot(0, usual, usual.setFocus)
