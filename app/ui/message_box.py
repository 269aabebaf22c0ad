"""The message box: the field, what holds for the next reply, send or stop, the ink level."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.ui.attachments.draft_file import DraftFile
from app.ui.attachments.strip import FileStrip
from app.ui.beginning_strip import BeginningStrip
from app.ui.buttons import Tool
from app.ui.chat_settings.bar import ChatOptionsBar
from app.ui.ink_level import NEARLY_FULL, InkLevel
from app.ui.keys import KEYS
from app.ui.look import Look
from app.ui.message_field import MessageField
from app.ui.queue_strip import QueueStrip
from app.ui.remote.mark import ServerMark
from app.ui.send_menu import SendMenu
from app.ui.words import Plain
from engine.contract import Role

_ANSWER = 512  # tokens kept free for an answer, where the context is large enough
_TEMPLATE = 32  # tokens, about, that the model's template adds


class MessageBox(QFrame):
    """Says when a message is to be sent or a reply to be stopped; keeps no chat's text itself."""

    sent = Signal(str)
    added = Signal(object, str)  # Role, text: a message without an answer
    refused = Signal()  # there is no model to answer; the text stays
    stop_requested = Signal()
    draft_changed = Signal(str)
    held = Signal()  # not sent: a file is not counted yet, or the files do not fit
    room_changed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._answering = False
        self._can_send = False  # a model is there, or on its way
        self._used = self._draft = self._files = self._size = 0  # tokens
        self._is_waiting = False  # it is not known yet what the files take
        self._is_counted = True  # False: the engine failed to count a file
        self._sends_later = False  # Enter was pressed meanwhile
        self._adds: Role | None = None  # what is to go becomes this one's message; None: a question
        self.setObjectName("message-box")
        self.field = MessageField(look)
        self.field.send_requested.connect(self._on_send_requested)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.focus_changed.connect(self._on_focus_changed)
        self.queue = QueueStrip(look)
        self.files = FileStrip(look)
        self.beginning = BeginningStrip(look)
        self.otherwise = SendMenu(look)
        self.attach = Tool(look, "paperclip", "file-attach", KEYS["file-attach"])
        self._left = Plain("", "caption")
        self._button = Tool(look, "arrow-up", "send", side=36, icon_size=18, kind="send")
        self._button.clicked.connect(self._on_button_clicked)
        self._level = InkLevel(look)
        self.options, self.mark = ChatOptionsBar(look), ServerMark(look)
        self._lay_out()
        look.follow(self._on_look_changed)

    def set_answering(self, answering: bool) -> None:
        """Turn the button into the square that stops, or back into the arrow that sends."""
        if answering != self._answering:
            self._answering = answering
            if answering:
                self._button.show_as("stop-fill", "stop", "Esc")
            else:
                self._button.show_as("arrow-up", "send")
            self._on_text_changed()

    def set_can_send(self, can_send: bool) -> None:
        """Allow sending, because a model is there to answer; typing is always allowed."""
        self._can_send = can_send
        self._refresh_button()

    def show_placeholder(self, text: str) -> None:
        """Show what the empty field says."""
        self.field.setPlaceholderText(text)
        self.field.viewport().update()  # Qt repaints only when it appears or goes

    def show_context(self, size: int) -> None:
        """Show for how many tokens there is room in all; 0 while no model is loaded."""
        self._size = size
        self._on_look_changed()

    def show_files(
        self,
        files: Sequence[DraftFile],
        tokens: int,
        *,
        is_waiting: bool,
        is_counted: bool = True,
    ) -> None:
        """Show the files that go with the draft, and their share of the context."""
        self.files.show_files(files)
        self._files, self._is_waiting, self._is_counted = tokens, is_waiting, is_counted
        self._refresh_button()
        self._on_look_changed()

    @property
    def context(self) -> int:
        """Tokens of the whole context; 0 while no model is loaded."""
        return self._size

    @property
    def room(self) -> int:
        """Tokens for files beside the typed words and the beginning of an answer, at most."""
        return self._size - self._draft - min(_ANSWER, self._size // 8) - _TEMPLATE

    @property
    def room_of_a_message(self) -> int:
        """Tokens for a message and its files beside the beginning of an answer, at most."""
        return self.room + self._draft

    @property
    def room_beside_chat(self) -> int:
        """Tokens for files if all turns are to stay."""
        return self.room - self._used

    def show_used(self, used: int) -> None:
        """Show how many tokens the chat takes."""
        self._used = used
        self._on_look_changed()

    def show_draft(self, draft: int) -> None:
        """Show how many tokens the draft would add."""
        self._draft = draft
        self._on_look_changed()

    def say(self, text: str) -> None:
        """Put a chat's draft into the field."""
        self._sends_later = False
        self.field.say(text)

    def send_now(self) -> None:
        """Send what is typed, or add it, whatever its files take."""
        role, self._adds = self._adds, None
        if role is None:
            self.sent.emit(self.text())
            self.beginning.say("")
        else:
            self.added.emit(role, self.text())
        self.field.clear()

    def send_what_waited(self) -> None:
        """Send, or ask about, what was to be sent before its files were counted."""
        if self._sends_later and not self._is_waiting:
            self._sends_later = False
            self._send_as(self._adds)

    @Slot(str)
    def propose(self, text: str) -> None:
        """Put a suggestion into the field, to be changed or sent."""
        self.field.write(text)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def text(self) -> str:
        """Return what is typed."""
        return self.field.toPlainText()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(13, 11, 13, 8)
        column.setSpacing(0)
        column.addWidget(self.queue)
        column.addWidget(self.files)
        column.addWidget(self.field)
        column.addWidget(self.beginning)
        column.addSpacing(2)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.attach)
        row.addWidget(self.options)
        row.addWidget(self.mark, 1000)
        row.addStretch(1)
        row.addWidget(self._left)
        row.addSpacing(4)
        row.addWidget(self.otherwise)
        row.addWidget(self._button)
        column.addLayout(row)
        column.addSpacing(6)
        column.addWidget(self._level)
        self.setFocusProxy(self.field)
        self.beginning.send_requested.connect(self._on_send_requested)
        self.beginning.closed.connect(self.field.setFocus)
        self.otherwise.beginning_wanted.connect(self.beginning.open_it)
        self.otherwise.add_wanted.connect(self._on_add_wanted)

    @Slot()
    def _on_send_requested(self) -> None:
        self._send_as(None)

    @Slot(object)
    def _on_add_wanted(self, role: Role) -> None:
        self._send_as(role)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _send_as(self, role: Role | None) -> None:
        """Send a question, or with a role add its message; what is not ready is held."""
        if not self._has_content() or (role is not None and self._answering):
            return
        self._adds = role
        if role is None and not self._can_send:
            self.refused.emit()
        elif self._is_held:
            self._sends_later = self._is_waiting
            self.held.emit()
        else:
            self.send_now()

    @property
    def _is_held(self) -> bool:
        """Whether the files are not known to fit."""
        too_long = bool(self._size) and self._files > self.room
        return self._is_waiting or not self._is_counted or too_long

    @Slot()
    def _on_button_clicked(self) -> None:
        if self._answering:
            self.stop_requested.emit()
        else:
            self._on_send_requested()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_text_changed(self) -> None:
        self._sends_later = False
        self._refresh_button()
        self.draft_changed.emit(self.text())

    def _refresh_button(self) -> None:
        has_content = self._has_content()
        self._button.setEnabled(self._answering or has_content)
        adding = has_content and not self._answering
        self.otherwise.allow(adding=adding, as_model=adding and not self.files.isVisibleTo(self))

    def _has_content(self) -> bool:
        return self.field.says_something() or self.files.isVisibleTo(self)

    @Slot(bool)
    def _on_focus_changed(self, focused: bool) -> None:
        self.setProperty("active", focused)
        self.style().unpolish(self)
        self.style().polish(self)

    @Slot()
    def _on_look_changed(self) -> None:
        """Say what is left, first the draft's share when there is one."""
        draft = self._draft + self._files
        self._level.show_tokens(self._used, draft, self._size)
        left = max(0, self._size - self._used - draft)
        text = self._look.language.text
        if self._size == 0:
            self._left.setText("")
        elif draft:
            self._left.setText(text("draft-left", draft=draft, left=left))
        else:
            self._left.setText(text("tokens-left", left=left))
        full = self._size and self._used + draft >= NEARLY_FULL * self._size
        self._left.set_kind("caption-warning" if full else "caption")
        self.room_changed.emit()
