"""What pages and tall dialogs share: a head, what scrolls below it, a foot that stays."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.ui.header import Header
from app.ui.notices import NoticePlace, Notices
from app.ui.words import Plain, wrapped

_AROUND = 24  # px beside what is brought into view


class Paper(QWidget):
    """What scrolls: as tall as its parts are at the width that it has.

    Its least height would be theirs at their least width, where every sentence takes more lines:
    a scroll area would keep that much room below the last one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("paper")

    def minimumSizeHint(self) -> QSize:
        """Return the least width alone, where the height follows from the width."""
        least, layout = super().minimumSizeHint(), self.layout()
        follows = layout is not None and layout.hasHeightForWidth()
        return QSize(least.width(), 0) if follows else least


def scrolled_paper() -> tuple[Paper, QVBoxLayout]:
    """The paper that a page's parts stand on, one below the other."""
    paper = Paper()
    column = QVBoxLayout(paper)
    column.setContentsMargins(24, 16, 24, 24)
    column.setSpacing(12)
    return paper, column


class Page(QWidget):
    """A page beside the chat; while it is open, the window's notices stand at its foot."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("paper")
        self.notice_place = NoticePlace()

    def hold(self, notices: Notices) -> None:
        """Show the notices at the foot, as long as this page is open."""
        self.notice_place.hold(notices)

    def lay_out(self, head: Header, paper: QWidget) -> QScrollArea:
        """Fill the page: its head, what scrolls (and takes no focus of its own), the notices."""
        scroll = scrolled(paper)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(head)
        rows.addWidget(scroll, 1)
        rows.addWidget(self.notice_place)
        return scroll


def lay_out_dialog(dialog: QDialog, about: QWidget, paper: QWidget, foot: QHBoxLayout) -> None:
    """Fill a tall dialog: its title and what it is about, what scrolls, its buttons."""
    head = QVBoxLayout()
    head.setContentsMargins(24, 0, 24, 8)
    head.setSpacing(4)
    head.addWidget(wrapped(Plain(dialog.windowTitle(), "title")))
    head.addWidget(about)
    foot.setContentsMargins(24, 8, 24, 16)
    rows = QVBoxLayout(dialog)
    rows.setContentsMargins(0, 16, 0, 0)
    rows.setSpacing(0)
    rows.addLayout(head)
    rows.addWidget(scrolled(paper), 1)
    rows.addLayout(foot)


def bring_into_view(widget: QWidget) -> None:
    """Scroll to a widget in whatever scrolls around it, as soon as that is laid out."""
    around = widget.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    if around is not None:
        QTimer.singleShot(0, around, lambda: around.ensureWidgetVisible(widget, 0, _AROUND))


def scrolled(paper: QWidget) -> QScrollArea:
    """Let a paper scroll; the frame takes no focus of its own."""
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setWidget(paper)
    return scroll
