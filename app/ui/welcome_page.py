"""The first page: no model yet. It says what there is to do, and does it in one click."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.chat.measuring import Machine
from app.ui.artwork import Artwork
from app.ui.choice_button import language_button, theme_button
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.page_frame import Page
from app.ui.seal import Seal
from app.ui.status_items import StatusIcon
from app.ui.welcome_choices import BetterChoice, StarterChoice
from app.ui.welcome_files import FilesChoice
from app.ui.words import Plain, Words, wrapped

_SIDE, _WIDE_ENOUGH = 424, 940  # px: the side with the picture, and from which width it shows


class WelcomePage(Page):
    """Picture and promise at the left, what to begin with at the right."""

    def __init__(self, look: Look, shelf: ModelShelf) -> None:
        super().__init__()
        self._look, self._shelf = look, shelf
        self.language = language_button(look, "quiet")
        self.theme = theme_button(look, "quiet")
        self.starter = StarterChoice(look, shelf)
        self.better, self.files = BetterChoice(look, shelf.folders[0]), FilesChoice(look, shelf)
        self._computer = wrapped(Plain("", "caption2"))
        self._memory, self._machine = (0, 0), Machine()
        self._side = self._make_side()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._side)
        row.addWidget(self._make_main(), 1)
        look.follow(self._on_look_changed)

    def show_memory(self, total: int, free: int) -> None:
        """Say how much memory the computer has and how much is free, in bytes."""
        self._memory = (total, free)
        self.starter.show_memory(total, free)
        self.better.show_memory(total, free)
        self._on_look_changed()

    def show_machine(self, machine: Machine) -> None:
        """Say what was measured of this computer, and what speed to expect by it."""
        self._machine = machine
        self.starter.show_bandwidth(machine.bandwidth)
        self.better.show_bandwidth(machine.bandwidth)
        self._on_look_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the picture out where there is no room."""
        super().resizeEvent(event)
        self._side.setVisible(self.width() >= _WIDE_ENOUGH)

    def _make_side(self) -> QFrame:
        side = QFrame()
        side.setObjectName("welcome-side")
        side.setFixedWidth(_SIDE)
        column = QVBoxLayout(side)
        column.setContentsMargins(40, 32, 40, 28)
        column.setSpacing(10)
        brand = QHBoxLayout()
        brand.setSpacing(12)
        brand.addWidget(Seal(self._look.theme, 30))
        brand.addWidget(Words(self._look, "app-name", "name"), 1)
        column.addLayout(brand)
        column.addSpacing(40)
        column.addWidget(Artwork(self._look.theme), 1)
        column.addSpacing(40)
        column.addWidget(wrapped(Words(self._look, "welcome-headline", "figure-large")))
        column.addWidget(wrapped(Words(self._look, "welcome-about", "reading2")))
        return side

    def _make_main(self) -> QScrollArea:
        inside = QWidget()
        inside.setObjectName("paper")
        column = QVBoxLayout(inside)
        column.setContentsMargins(56, 20, 56, 12)
        column.setSpacing(0)
        choices = QHBoxLayout()
        choices.setSpacing(4)
        choices.addStretch()
        choices.addWidget(self.language)
        choices.addWidget(self.theme)
        column.addLayout(choices)
        column.addStretch(2)
        column.addWidget(wrapped(Words(self._look, "welcome-question", "welcome")))
        column.addSpacing(6)
        column.addWidget(wrapped(Words(self._look, "welcome-later", "reading2")))
        column.addSpacing(26)
        column.addWidget(self.starter)
        column.addSpacing(12)
        column.addWidget(self.better)
        column.addSpacing(12)
        column.addWidget(self.files)
        column.addSpacing(18)
        column.addLayout(self._computer_row())
        column.addWidget(self.notice_place)
        column.addStretch(3)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        return scroll

    def _computer_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(StatusIcon(self._look, "cpu"))
        row.addWidget(self._computer, 1)
        return row

    @Slot()
    def _on_look_changed(self) -> None:
        language, machine = self._look.language, self._machine
        total, free = (language.bytes_text(count) for count in self._memory)
        if not self._memory[0]:
            return
        if not machine.cores:
            self._computer.setText(language.text("welcome-computer", total=total, free=free))
            return
        rate = language.bytes_text(round(machine.bandwidth))
        graphics = ", ".join(machine.gpus) or language.text("add-gpu-none")
        self._computer.setText(
            language.text(
                "welcome-computer-measured", total=total, free=free, rate=rate, graphics=graphics
            )
        )
