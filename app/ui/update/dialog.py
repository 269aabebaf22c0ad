"""The dialog of an update: it shows where it stands and says what is wanted."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.markdown_text import MarkdownText
from app.ui.meters import FillBar
from app.ui.spoken import speak
from app.ui.update.updating import Stage, Updating
from app.ui.update.words import install_command, title_words, update_words
from app.ui.words import Plain, wrapped
from app.update.form import Form

_WIDE, _TALL, _LOW = 620, 460, 190  # px at 100 %
_CLOSES = {Form.TAR, Form.WINDOWS_SETUP, Form.MACOS}
"""Forms whose program ends before the newer version is there."""


class UpdateDialog(QDialog):
    """What is new, and one step at a time."""

    install_wanted = Signal()  # start the newer version, or hand the package to the system

    def __init__(self, look: Look, updating: Updating, running: str, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._updating, self._running = look, updating, running
        form = updating.place.form
        self.title = wrapped(Plain("", "title"))
        self.words = wrapped(Plain("", "small2"))
        self.notes = MarkdownText(look, "update-notes")
        self.bar = FillBar(look.theme, 0)
        self.command = QLineEdit()
        self.command.setObjectName("form-field")
        self.command.setReadOnly(True)
        self.command.setFont(look.theme.font("code"))
        self.command.setAccessibleName(look.language.text("update-copy"))
        self.later = Button(look, "close", "quiet")
        self.pause = Button(look, "update-pause")
        self.copy = Button(look, "update-copy")
        self.again = Button(look, "update-again", "main")
        self.fetch = Button(look, "update-fetch", "main")
        self.go_on = Button(look, "update-go-on", "main")
        closes = "update-restart" if form is Form.TAR else "update-close"
        self.install = Button(look, closes if form in _CLOSES else "update-open", "main")
        self._buttons = (self.pause, self.copy, self.again, self.fetch, self.go_on, self.install)
        self._connect()
        self._lay_out()
        self._room = window.size() - QSize(40, 40)
        self.show_state()

    @Slot()
    def show_state(self) -> None:
        """Show where the update stands, and what can be done now."""
        state, form = self._updating.state, self._updating.place.form
        stage = state.stage
        language = self._look.language
        before = self.words.text()
        self.title.setText(title_words(state, language))
        self.words.setText(update_words(state, form, self._running, language))
        self.setWindowTitle(language.text("update"))
        notes = state.release.notes_in(language.code) if state.release is not None else ""
        if notes != self.notes.text:
            self.notes.show_text(notes)
        self.notes.setVisible(bool(notes))
        self._fit(_TALL if notes else _LOW)
        size = state.release.size if state.release is not None else 0
        self.bar.setVisible(stage in {Stage.FETCHING, Stage.PAUSED, Stage.INSTALLING})
        self.bar.show_share(state.done / size if size else 0.0)
        self.bar.setAccessibleName(self.words.text())
        self._show_buttons(stage, form)
        if stage is not Stage.FETCHING and self.words.text() != before:
            speak(self, self.words.text())

    def _fit(self, height: int) -> None:
        """Be as tall as there is something to show; what a person made larger stays so."""
        px = self._look.theme.px
        wanted = QSize(px(_WIDE), px(height)).boundedTo(self._room)
        if self.width() < wanted.width() or not self.isVisible() or self.height() < wanted.height():
            self.resize(wanted)

    def _show_buttons(self, stage: Stage, form: Form) -> None:
        is_command = stage is Stage.READY and form is Form.DEB
        if is_command and self._updating.state.package is not None:
            self.command.setText(install_command(self._updating.state.package))
            self.command.setCursorPosition(0)
        self.command.setVisible(is_command)
        found = self._updating.state.release is not None
        shown = {
            self.pause: stage is Stage.FETCHING,
            self.copy: is_command,
            self.again: stage is Stage.FAILED and not found,
            self.fetch: stage is Stage.FOUND and not self._updating.state.done,
            self.go_on: stage is Stage.PAUSED
            or (stage is Stage.FOUND and self._updating.state.done > 0)
            or (stage is Stage.FAILED and found),
            self.install: stage is Stage.READY,
        }
        had_focus = any(button.hasFocus() for button in self._buttons)
        for button, visible in shown.items():
            button.setVisible(visible)
        usual = next((button for button, visible in shown.items() if visible), self.later)
        usual.setDefault(True)
        if had_focus or not self.isVisible():
            usual.setFocus(Qt.FocusReason.OtherFocusReason)

    def _connect(self) -> None:
        self._updating.changed.connect(self.show_state)
        self._look.language.changed.connect(self.show_state)
        self.later.clicked.connect(self.reject)
        self.finished.connect(self._updating.pause)  # what arrived is kept
        self.pause.clicked.connect(self._updating.pause)
        self.again.clicked.connect(self._updating.look)
        self.fetch.clicked.connect(self._updating.fetch)
        self.go_on.clicked.connect(self._updating.fetch)
        self.install.clicked.connect(self.install_wanted)
        self.copy.clicked.connect(self._on_copy)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.command.text())

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch()
        for button in (self.later, *self._buttons):
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(self.title)
        column.addWidget(self.words)
        column.addWidget(self.bar)
        column.addWidget(self.command)
        column.addWidget(self.notes, 1)
        column.addStretch()
        column.addLayout(foot)
