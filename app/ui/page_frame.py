"""What the pages beside the chat share: a head, what scrolls below it, notices at the foot."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.ui.header import Header


def scrolled_paper() -> tuple[QWidget, QVBoxLayout]:
    """The paper that a page's parts stand on, one below the other."""
    paper = QWidget()
    paper.setObjectName("paper")
    column = QVBoxLayout(paper)
    column.setContentsMargins(24, 16, 24, 24)
    column.setSpacing(12)
    return paper, column


def lay_out_page(page: QWidget, head: Header, paper: QWidget, foot: QWidget) -> QScrollArea:
    """Fill a page; what scrolls takes no focus of its own."""
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setWidget(paper)
    rows = QVBoxLayout(page)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.setSpacing(0)
    rows.addWidget(head)
    rows.addWidget(scroll, 1)
    rows.addWidget(foot)
    return scroll
