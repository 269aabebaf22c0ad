"""A code block: frame, language, wrap, save and copy, and the code."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRect, QRectF, QSize, QTimer, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.rendering.blocks import Code
from app.rendering.highlighting import language_name, language_suffix
from app.ui.buttons import Button, Tool
from app.ui.transcript.code_text import TOP, CodeText
from app.ui.transcript.paper import Paper
from app.ui.words import Plain

HEAD = 32  # px
_COPIED_MS = 2_000
_LONG, FOLDED = 30, 16  # lines: what can be folded, what is shown of it then
FOLDS = 60  # lines: a longer block is folded when it comes whole, until somebody opens it
_FOOT, _FOOT_AIR = 26, 5  # px: the button below a folded block, and around it


@dataclass(frozen=True, slots=True)
class CodeState:
    """What the user has chosen for a block of code."""

    folded: bool = False
    wrapped: bool = False


class CopyButton(Button):
    """Says "Copied" for two seconds after a click."""

    def __init__(self, paper: Paper) -> None:
        super().__init__(paper.look, "transcript-copy", kind="quiet", icon="copy", size="small")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_COPIED_MS)
        self._timer.timeout.connect(self._on_over)

    def confirm(self) -> None:
        """Say that it is done."""
        self._icon = "check"
        self.say("transcript-copied")
        self._timer.start()

    @Slot()
    def _on_over(self) -> None:
        self._icon = "copy"
        self.say("transcript-copy")


def folds(code: Code) -> bool:
    """Tell whether a block of code is shown folded as long as nobody has chosen."""
    return code.text.count("\n") >= FOLDS


def folded_height(line: int) -> int:
    """Return how tall a folded block is, with lines of so many pixels."""
    return HEAD + 3 + 2 * TOP + FOLDED * line + _FOOT + 2 * _FOOT_AIR


class AllLines(Button):
    """Below a folded block: how many lines there are, and all of them with a click."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        self._count = 0
        super().__init__(paper.look, "transcript-all-lines", "quiet", "caret-down", "small")
        self.setParent(parent)

    def show_count(self, lines: int) -> None:
        """Say another number of lines."""
        self._count = lines
        self._dress()

    def _dress(self) -> None:
        name = self._look.language.text(self._id, count=self._count)
        self.setText(f"\u2002{name}")
        self.setAccessibleName(name)
        self.setIcon(self._look.theme.icon(self._icon, "ink2"))
        side = self._look.theme.px(16)
        self.setIconSize(QSize(side, side))


class CodeFrame(QWidget):
    """One block of code with its header."""

    height_changed = Signal()

    def __init__(self, paper: Paper, language: str, parent: QWidget, *, calls: str = "") -> None:
        super().__init__(parent)
        self._paper = paper
        self._language = language
        self._folded = False
        self.text = CodeText(paper, language, self)
        self.text.height_changed.connect(self.height_changed)
        self._head = QWidget(self)
        named = paper.look.language.text("transcript-call", name=calls) if calls else ""
        self._label = Plain(named or language_name(language), "caption2")
        kind = language_name(language)
        spoken = paper.look.language.text(
            "transcript-code", kind=kind or "-", known=str(bool(kind))
        )
        self.text.setAccessibleName(named or spoken)
        self._fold = Tool(paper.look, "caret-up", "transcript-fold", side=28)
        self._fold.clicked.connect(self._on_folded)
        self._fold.hide()
        self._wrap = Tool(paper.look, "arrow-u-down-left", "transcript-wrap", side=28)
        self._wrap.setCheckable(True)
        self._wrap.toggled.connect(self._on_wrapped)
        self._save = Tool(paper.look, "download-simple", "transcript-save", side=28)
        self._save.clicked.connect(self._on_saved)
        self._all = AllLines(paper, self)
        self._all.clicked.connect(self._on_folded)
        self._all.hide()
        self._copy = CopyButton(paper)
        self._copy.clicked.connect(self._on_copied)
        row = QHBoxLayout(self._head)
        row.setContentsMargins(14, 0, 5, 0)
        row.setSpacing(2)
        row.addWidget(self._label, 1)
        for control in (self._fold, self._wrap, self._save, self._copy):
            row.addWidget(control)

    @property
    def copy_button(self) -> QPushButton:
        """The button that copies all of the code."""
        return self._copy

    def show_code(self, code: Code) -> None:
        """Show a block; one that grew keeps what is shown."""
        lines = code.text.count("\n") + 1
        self.text.show_rows(FOLDED if self._folded else None)
        self.text.show_code(code.text, closed=code.closed)
        self._fold.setVisible(lines > _LONG)
        self._all.show_count(lines)

    @property
    def state(self) -> CodeState:
        """What the user has chosen for this block."""
        return CodeState(self._folded, self._wrap.isChecked())

    def restore(self, state: CodeState) -> None:
        """Take up what the user had chosen before the block was out of view."""
        self._wrap.setChecked(state.wrapped)
        if state.folded != self._folded:
            self._on_folded()

    def unfold(self) -> None:
        """Show all lines."""
        if self._folded:
            self._on_folded()

    def fit(self, width: int) -> int:
        """Lay out to a width and return the height."""
        if self._folded:
            self.text.fit(width - 2)
            return folded_height(self._paper.look.theme.line_height("code"))
        return self.text.fit(width - 2) + HEAD + 3

    def caret(self) -> QRect:
        """Return where the reply's caret stands, in this widget."""
        return self.text.caret().translated(self.text.pos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the header and the code inside the border."""
        self._head.setGeometry(1, 1, self.width() - 2, HEAD)
        foot = _FOOT + 2 * _FOOT_AIR if self._folded else 0
        self.text.setGeometry(1, HEAD + 2, self.width() - 2, self.height() - HEAD - 3 - foot)
        wide = min(self._all.sizeHint().width(), self.width() - 2 * _FOOT_AIR)
        self._all.setGeometry(_FOOT_AIR, self.height() - _FOOT_AIR - _FOOT, wide, _FOOT)
        self.text.verticalScrollBar().setValue(0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground, the border and the line under the header."""
        theme = self._paper.look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("line"), 1))
        painter.setBrush(theme.color("code"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)
        painter.drawLine(QLineF(0.5, HEAD + 1.5, self.width() - 0.5, HEAD + 1.5))

    @Slot(bool)
    def _on_wrapped(self, wraps: bool) -> None:
        self.text.set_wrap(wraps)
        self._wrap.show_as("arrow-u-down-left", "transcript-unwrap" if wraps else "transcript-wrap")
        self.height_changed.emit()

    @Slot()
    def _on_folded(self) -> None:
        """Show the first lines alone, or all of them again."""
        self._folded = not self._folded
        icon, text = (
            ("caret-down", "transcript-unfold") if self._folded else ("caret-up", "transcript-fold")
        )
        self._fold.show_as(icon, text)
        self._all.setVisible(self._folded)
        self.text.show_rows(FOLDED if self._folded else None)
        self.height_changed.emit()

    @Slot()
    def _on_copied(self) -> None:
        self._paper.copy(self.text.text)
        self._copy.confirm()

    @Slot()
    def _on_saved(self) -> None:
        self._paper.save(self.text.text, "code" + language_suffix(self._language))
