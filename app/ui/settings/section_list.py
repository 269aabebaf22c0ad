"""The names of the sections at the left of the settings, each with how much a search found."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QSizePolicy, QVBoxLayout

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.sidebar_parts import PageRow
from app.ui.words import Plain

_WIDTH = 212  # px


class SectionRow(PageRow):
    """A section's name; while something is searched for, a badge says how much it has of it."""

    def __init__(self, look: Look, text_id: str, icon: str) -> None:
        super().__init__(look, text_id, icon)
        self._badge = Plain("", "badge-found", self)
        self._badge.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._badge.hide()

    def show_found(self, count: int | None) -> None:
        """Show how many were found; None where nothing is searched for."""
        self._badge.setVisible(bool(count))
        self._badge.setText(str(count or ""))
        self.setEnabled(count is None or count > 0)
        self._place()

    def sizeHint(self) -> QSize:
        """Return the size of the name with its badge."""
        return super().sizeHint() + QSize(self.fontMetrics().height() + 12, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the badge at the right end."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        size = self._badge.sizeHint()
        left, top = self.width() - size.width() - 8, (self.height() - size.height()) // 2
        self._badge.setGeometry(left, top, size.width(), size.height())


class SectionList(QFrame):
    """One row a section; one of them is open."""

    opened = Signal(int)

    def __init__(self, look: Look, sections: Mapping[str, str], foot: Button) -> None:
        super().__init__()
        self.setObjectName("settings-list")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 16, 12, 12)
        column.setSpacing(2)
        self.rows: list[SectionRow] = []
        for number, (name, icon) in enumerate(sections.items()):
            row = SectionRow(look, f"section-{name}", icon)
            self.group.addButton(row, number)
            self.rows.append(row)
            column.addWidget(row)
        column.addStretch()
        column.addWidget(foot)
        self._foot, self._is_folded = foot, False
        self.rows[0].setChecked(True)
        self.group.idClicked.connect(self.opened)

    def sizeHint(self) -> QSize:
        """Return the usual width, or a wider one with larger text; folded, that of icons."""
        return super().sizeHint().expandedTo(QSize(0 if self._is_folded else _WIDTH, 0))

    def fold(self, *, folded: bool) -> None:
        """Show the icons alone, where the page is narrow for its text; or the names again."""
        if folded != self._is_folded:
            self._is_folded = folded
            for button in (*self.rows, self._foot):
                button.fold(folded=folded)
            self.updateGeometry()

    def open(self, number: int) -> None:
        """Show another section as the open one."""
        self.rows[number].setChecked(True)

    def focus_open(self) -> None:
        """Put the focus on the name of the open section."""
        button = self.group.checkedButton()
        if button is not None:
            button.setFocus(Qt.FocusReason.OtherFocusReason)
