"""What the buttons beside a turn do to the open chat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.attachment import Attachment
from app.chat.session import ChatSession
from app.language import Language
from app.ui.faults import FaultAction, FaultText, fault_text
from app.ui.look import Look
from app.ui.notices import Announcement, Tone
from app.ui.spoken import speak
from engine.contract import Role

if TYPE_CHECKING:
    from app.ui.transcript import Transcript

_UNDO_MS = 10_000


class TurnVerbs(QObject):
    """Hands the transcript's wishes to the session that is open."""

    announced = Signal(object)  # Announcement
    fault_acted = Signal(object, object)  # FaultAction, Fault
    advice_wanted = Signal(object)  # Turn that failed
    branch_wanted = Signal(int, int)  # chat, turn
    inspection_wanted = Signal(int)  # turn
    editing_started = Signal(object)  # EditBox of a question
    editing_ended = Signal()
    save_wanted = Signal(str, str)  # text, proposed name of a file

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look
        self.session: ChatSession | None = None
        self._transcript: Transcript | None = None

    def listen_to(self, transcript: Transcript) -> None:
        """Take the wishes of this transcript from now on."""
        self._transcript = transcript
        transcript.regenerate_requested.connect(self._on_regenerate)
        transcript.edit_submitted.connect(self._on_edited)
        transcript.editing_started.connect(self.editing_started)
        transcript.editing_ended.connect(self.editing_ended)
        transcript.save_requested.connect(self.save_wanted)
        transcript.version_requested.connect(self._on_version)
        transcript.continue_requested.connect(self._on_continue)
        transcript.delete_requested.connect(self._on_delete)
        transcript.branch_requested.connect(self._on_branch)
        transcript.inspect_requested.connect(self.inspection_wanted)
        transcript.fault_action_requested.connect(self._on_fault_action)

    @Slot()
    def edit_last(self) -> None:
        """Begin to change the last question."""
        turns = self.session.path() if self.session is not None else []
        asked = next((turn for turn in reversed(turns) if turn.role is Role.USER), None)
        if asked is not None and self._transcript is not None:
            self._transcript.edit_turn(asked.id)

    @Slot(int)
    def _on_regenerate(self, turn: int) -> None:
        if self.session is not None:
            self.session.regenerate(turn)

    @Slot(int, str, bool, object)
    def _on_edited(
        self, turn: int, text: str, answer_again: bool, files: tuple[Attachment, ...]
    ) -> None:
        if self.session is not None:
            self.session.edit(turn, text, answer_again, files)
            if answer_again and self._transcript is not None:
                self._transcript.go_to_end()

    @Slot(int, int)
    def _on_version(self, turn: int, step: int) -> None:
        shown = self.session.show_version(turn, step) if self.session is not None else None
        if shown is not None and self._transcript is not None:
            text = self._look.language.text
            words = text("transcript-version", version=shown.version, versions=shown.versions)
            speak(self._transcript, words)

    @Slot(int)
    def _on_continue(self, turn: int) -> None:
        if self.session is not None:
            self.session.continue_reply(turn)

    @Slot(int)
    def _on_branch(self, turn: int) -> None:
        if self.session is not None:
            self.branch_wanted.emit(self.session.row.id, turn)

    @Slot(int, bool)
    def _on_delete(self, turn: int, with_rest: bool) -> None:
        """Delete a turn, or it and everything after it, and offer to undo it."""
        session = self.session
        if session is not None:
            removal = session.delete_branch(turn) if with_rest else session.delete_turn(turn)
            self.announced.emit(
                Announcement(
                    "turn-deleted",
                    Tone.INFO,
                    _branch_deleted if with_rest else _turn_deleted,
                    lambda: session.undo_delete(removal),
                    _UNDO_MS,
                )
            )

    @Slot(int, bool)
    def _on_fault_action(self, turn: int, is_looked_into: bool) -> None:
        """Do what the button beside a broken reply promises; trying again needs only the chat."""
        turns = self.session.path() if self.session is not None else []
        broken = next((each for each in turns if each.id == turn), None)
        if broken is not None and is_looked_into:
            self.advice_wanted.emit(broken)
            return
        if broken is None or broken.fault is None or self.session is None:
            return
        action = fault_text(broken.fault, self._look.language).action
        if action is FaultAction.RETRY:
            self.session.regenerate(turn)
        elif action is FaultAction.EDIT:
            if self._transcript is not None and broken.parent is not None:
                self._transcript.edit_turn(broken.parent)
        else:
            self.fault_acted.emit(action, broken.fault)


def _turn_deleted(language: Language) -> FaultText:
    return FaultText(language.text("turn-deleted"), "", language.text("undo"), FaultAction.UNDO)


def _branch_deleted(language: Language) -> FaultText:
    return FaultText(language.text("branch-deleted"), "", language.text("undo"), FaultAction.UNDO)
