"""The choice of a typeface: those of this computer, each in itself, and how a chat looks in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from app.ui.look import Look
from app.ui.settings.controls import Control
from app.ui.settings.naming import name_id, off_id
from app.ui.status_items import StatusIcon
from app.ui.words import escaped
from engine.contract.setting import Setting, Value

_WIDTH = 220  # px
_ROWS = 12  # of the open list
_SCRIPTS = (
    QFontDatabase.WritingSystem.Latin,
    QFontDatabase.WritingSystem.SimplifiedChinese,
    QFontDatabase.WritingSystem.TraditionalChinese,
    QFontDatabase.WritingSystem.Japanese,
    QFontDatabase.WritingSystem.Korean,
)


def typefaces(*, fixed: bool) -> list[str]:
    """Return the names of this computer's typefaces, or of those with letters of one width.

    It takes some 10 to 100 ms.
    """
    found = {family for script in _SCRIPTS for family in QFontDatabase.families(script)}
    shown = [each for each in found if not each.startswith((".", "@"))]
    if fixed:
        shown = [each for each in shown if QFontDatabase.isFixedPitch(each)]
    return sorted(shown, key=str.casefold)


class _InItself(QStyledItemDelegate):
    """Draws each typeface's name in that typeface."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Take the typeface by its name, and its neighbours' size."""
        super().initStyleOption(option, index)
        family = index.data(Qt.ItemDataRole.UserRole)
        if family and QFontDatabase.writingSystems(family):
            font = QFont(option.font)
            font.setFamilies([family, *font.families()])
            option.font = font

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return one height for all, however tall a typeface is."""
        wide = super().sizeHint(option, index).width()
        return QSize(wide, option.fontMetrics.height() + 10)


class FontChoice(QComboBox):
    """The names; they are asked of the system when the list is first opened or moved through."""

    def __init__(self, look: Look, *, fixed: bool) -> None:
        super().__init__()
        self._fixed, self._is_full = fixed, False
        self.setMaxVisibleItems(_ROWS)
        self.setItemDelegate(_InItself(self))
        self.setFixedWidth(_WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.addItem("", "")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 9, 0)
        row.addStretch(1)
        caret = StatusIcon(look, "caret-down", "ink2", 14)
        caret.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row.addWidget(caret)
        self.installEventFilter(self)

    def show_usual(self, word: str) -> None:
        """Name the choice of none."""
        self.setItemText(0, word)

    def show_family(self, family: str) -> None:
        """Show a typeface as chosen, also one that this computer has not."""
        self.blockSignals(True)
        at = self.findData(family)
        if at < 0:
            self.addItem(family, family)
            at = self.count() - 1
        self.setCurrentIndex(at)
        self.blockSignals(False)

    def showPopup(self) -> None:
        """Open the list, full."""
        self._fill()
        super().showPopup()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fill the list before a key moves in it; the wheel scrolls the page, not the choice."""
        if event.type() == QEvent.Type.KeyPress:
            self._fill()
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return False

    def _fill(self) -> None:
        if self._is_full:
            return
        self._is_full = True
        chosen = self.currentData()
        self.blockSignals(True)
        for at in range(self.count() - 1, 0, -1):
            self.removeItem(at)
        for family in typefaces(fixed=self._fixed):
            self.addItem(family, family)
        self.blockSignals(False)
        self.show_family(chosen)


class FontControl(Control):
    """A typeface, or none for the usual one."""

    def __init__(self, look: Look, setting: Setting) -> None:
        super().__init__(setting)
        self._look = look
        self.field = FontChoice(look, fixed=setting.fonts == "fixed")
        self.field.currentIndexChanged.connect(self._on_chosen)
        self._row.addWidget(self.field)
        look.follow(self._on_look_changed)

    def show_value(self, value: Value) -> None:
        """Show what is chosen."""
        self.field.show_family(str(value))

    @Slot()
    def _on_chosen(self) -> None:
        self.chosen.emit(str(self.field.currentData()))

    @Slot()
    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self.field.show_usual(text(off_id(self.setting)))
        for part in (self.field, self.field.view()):  # the list has a window of its own
            part.setAccessibleName(text(name_id(self.setting)))


class TypePreview(QFrame):
    """A few lines as a chat shows them: words in several scripts, and code."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("card")
        self._look = look
        self._prose, self._code = QLabel(), QLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        for label in (self._prose, self._code):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.RichText)
            column.addWidget(label)
        look.follow(self._on_look_changed)

    @Slot()
    def _on_look_changed(self) -> None:
        language = self._look.language
        self._say(self._prose, "reading", language.text("type-preview"))
        self._say(self._code, "code", language.text("type-preview-code"))

    def _say(self, label: QLabel, kind: str, text: str) -> None:
        theme = self._look.theme
        line = f"line-height:{theme.line_height(kind)}px; -qt-line-height-type:fixed"
        label.setFont(theme.font(kind))
        label.setText(f"<p style='margin:0; {line}'>{escaped(text)}</p>")
        label.setAccessibleName(text)
