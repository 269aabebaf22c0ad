"""What is done in the message box becomes the open chat's: sent, added, kept as its draft."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.chat.attachment import Files
from app.chat.options import ChatOptions
from app.chat.session import ChatSession
from app.ui.look import Look
from app.ui.message_box import MessageBox
from app.ui.spoken import speak
from engine.contract import Role


class BoxVerbs(QObject):
    """Hands the message box's wishes to the session that is open."""

    draft_changed = Signal(str)
    added = Signal()  # a message that nobody answers
    files_changed = Signal()  # the draft has other files: it was sent, or a message came back

    def __init__(self, look: Look, box: MessageBox, parent: QObject) -> None:
        super().__init__(parent)
        self._look, self._box = look, box
        self._session: ChatSession | None = None
        box.sent.connect(self._on_sent)
        box.added.connect(self._on_added)
        box.draft_changed.connect(self._on_draft_changed)
        box.beginning.changed.connect(self._on_beginning_changed)
        box.queue.taken_back.connect(self._on_taken_back)
        box.options.changed.connect(self._on_options_changed)

    def open(self, session: ChatSession) -> None:
        """Show another chat's draft, and hand everything to it from now on."""
        self._session = session
        draft = session.unsent.draft
        self._box.say(draft.text)
        self._box.beginning.say(draft.begins)

    @Slot(str)
    def _on_sent(self, text: str) -> None:
        if self._session is not None:
            begins, files = self._box.beginning.text(), self._taken_files(self._session)
            self._session.send(text, begins, files)
            self.files_changed.emit()

    @Slot(object, str)
    def _on_added(self, role: Role, text: str) -> None:
        """Add a message that nobody answers, whoever's words it is to be."""
        if self._session is not None and not self._session.state.busy:
            self._session.add_message(role, text, self._taken_files(self._session))
            self.files_changed.emit()
            self.added.emit()
            speak(self._box.field, self._look.language.text("send-added"))

    @Slot(str)
    def _on_draft_changed(self, text: str) -> None:
        if self._session is not None:
            self._session.unsent.set_text(text)
        self.draft_changed.emit(text)

    @Slot(str)
    def _on_beginning_changed(self, text: str) -> None:
        if self._session is not None:
            self._session.unsent.set_begins(text)

    @Slot(int)
    def _on_taken_back(self, place: int) -> None:
        if self._session is not None:
            unsent, typed = self._session.unsent, self._box.text()
            message = unsent.take(place)
            unsent.set_attachments((*message.attachments, *unsent.draft.attachments))
            self._box.field.write("\n\n".join(filter(None, (message.text, typed))))
            if message.begins:
                self._box.beginning.say(message.begins)
            self.files_changed.emit()
            self._box.field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _on_options_changed(self, options: ChatOptions) -> None:
        if self._session is not None:
            self._session.set_options(options)

    @staticmethod
    def _taken_files(session: ChatSession) -> Files:
        """Take the files out of the draft: they go with the message."""
        files = session.unsent.draft.attachments
        session.unsent.set_attachments(())
        return files
