"""One open chat: its conversation, its running reply, its queue, its draft.

A session lives on when another chat is shown, so that two chats may answer at once. Every state is
derived from the engine's events; what the window shows arrives through the signals. It belongs to
whoever holds it: no Qt parent, so that a chat that was let go cannot die under a window's hands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.activity import SessionState
from app.chat.answering import Answering
from app.chat.asking import seen_messages
from app.chat.attachment import Files, Outgoing
from app.chat.conversation import Conversation
from app.chat.fetching import Fetching
from app.chat.inspection import Beginning
from app.chat.options import ChatOptions
from app.chat.replying import Replying
from app.chat.services import Services
from app.chat.shelf import TurnPath
from app.chat.tree import Removal
from app.chat.turn import Turn, TurnState
from app.chat.unsent import Unsent
from app.store.faults import StoreFault
from app.store.rows import ChatRow
from engine.contract import Message, Role


class ChatSession(QObject):
    """One chat, open.

    Args:
        row: the chat as the store has it, or a new one.
        services: store, engine, model and settings.
        turns: all of the chat's, where they are known and may not be on disk yet.
    """

    path_changed = Signal(object)  # Sequence[Turn]: show these
    turn_added = Signal(object)  # Turn, at the end of the shown path
    turn_changed = Signal(object)  # Turn: state, text, figures or version count are new
    text_added = Signal(int, object, str)  # turn, Channel, new text
    progressed = Signal(object)  # engine.contract.Progress
    metrics_changed = Signal(object)  # engine.contract.Metrics
    state_changed = Signal(object)  # SessionState
    answering_changed = Signal(int)  # chat: began or ended being busy
    row_changed = Signal(object)  # ChatRow: title, time, options
    damaged = Signal(object)  # StoreFault: turns of this chat could not be read
    fetched = Signal()  # every turn is in memory
    turns_deleted = Signal()  # they can be taken back until they are wiped

    def __init__(self, row: ChatRow, services: Services, turns: Sequence[Turn] = ()) -> None:
        super().__init__()
        self._services = services
        self._book = Conversation(row, services.store, turns)
        self._after: Callable[[], None] | None = None
        self._was_busy = False
        self._unsent = Unsent(self._book, self)
        self._unsent.queue_changed.connect(self._on_state_changed)
        self._fetching = Fetching(self._book, self)
        self._fetching.damaged.connect(self.damaged)
        self._fetching.completed.connect(self.fetched)
        self._answering = Answering(services, self._fetching, self)
        self._answering.text_added.connect(self.text_added)
        self._answering.progressed.connect(self.progressed)
        self._answering.metrics_changed.connect(self.metrics_changed)
        self._answering.activity_changed.connect(self._on_state_changed)
        self._answering.ended.connect(self._on_ended)
        self.replying = Replying(self._book, services, self._answering)

    # --- what is shown ------------------------------------------------------------------------

    @property
    def row(self) -> ChatRow:
        """The chat's title, times and flags."""
        return self._book.row

    @property
    def fault(self) -> StoreFault | None:
        """What of this chat could not be read, as far as it was looked at."""
        return self._book.shelf.fault

    @property
    def state(self) -> SessionState:
        """What the chat is doing now."""
        turn = self._answering.turn
        return SessionState(
            self._answering.activity, turn.id if turn else None, self._unsent.queued
        )

    @property
    def unsent(self) -> Unsent:
        """The draft and what waits behind a running reply."""
        return self._unsent

    @property
    def options(self) -> ChatOptions:
        """What holds for this chat alone."""
        return self._book.options

    @property
    def is_fetched(self) -> bool:
        """Whether every turn is in memory."""
        return self._book.shelf.is_complete

    def path(self) -> Sequence[Turn]:
        """Return the shown turns, fetched as they are looked at; a running reply with its text."""
        return TurnPath(self._book.tree.path(), self._book.shelf, self._turn)

    def messages(self) -> tuple[Message, ...]:
        """Return the shown turns as the engine would see them."""
        return seen_messages(self._book, self._services, self._book.tree.leaf())

    def path_to(self, turn: int) -> Sequence[Turn]:
        """Return the turns that led to this one, whether they are shown or not."""
        return TurnPath(self._book.tree.path_to(turn), self._book.shelf, self._turn)

    def shows(self, turn: int) -> bool:
        """Tell whether a turn stands on the shown path."""
        return turn in self._book.tree.path()

    def reload(self, row: ChatRow) -> None:
        """Read the chat again, after an import wrote into it; not while a reply is made."""
        if not self.state.busy:
            self._book.reload(row)
            self._fetching.start()
            self.path_changed.emit(self.path())

    # --- verbs --------------------------------------------------------------------------------

    def send(self, text: str, prefill: str = "", files: Files = ()) -> None:
        """Ask; ``prefill`` is how the reply has to begin. A question during a reply waits."""
        if self.state.busy:
            self._unsent.put(Outgoing(text, files, prefill))
        else:
            self._answer(self.add_message(Role.USER, text, files).id, prefill)

    def add_message(self, role: Role, text: str, files: Files = ()) -> Turn:
        """Add a message at the end of the shown path, without an answer; also as the model."""
        return self._add(self._book.new_turn(self._book.tree.leaf(), role, text, files))

    def stop(self) -> None:
        """End the running reply and keep its text."""
        self._answering.stop()

    def regenerate(self, turn: int, begins: Beginning | None = None) -> None:
        """Answer again: a new version of a reply, or the first; ``begins`` are its first tokens."""
        asked = self._book.tree.get(turn).role is Role.USER
        parent = turn if asked else self._book.tree.parent(turn)
        self._when_idle(lambda: self._answer(parent, begins=begins))

    def edit(
        self, turn: int, text: str, answer_again: bool = True, files: Files | None = None
    ) -> None:
        """Change a message: a question becomes a new version, a reply is changed in place.

        ``answer_again`` answers or continues; ``files`` are the new version's, None: as before.
        """
        if self._book.tree.get(turn).role is Role.ASSISTANT:
            self._when_idle(lambda: self._edit_reply(turn, text, answer_again))
        else:
            self._when_idle(lambda: self._edit_question(turn, text, answer_again, files))

    def continue_reply(self, turn: int) -> None:
        """Go on with a reply that was stopped, cut or broken off."""
        self._when_idle(lambda: self._continue(turn))

    def show_version(self, turn: int, step: int) -> Turn | None:
        """Show the version that is ``step`` places beside this one, and return it."""
        other = self._book.tree.sibling(turn, step)
        if other is None:
            return None
        self.show_turn(other)
        return self._book.tree.get(other)

    def show_turn(self, turn: int) -> None:
        """Lead the shown path through a turn, for example one that a search found."""
        if self._book.show(turn):
            self.path_changed.emit(self.path())

    def delete_turn(self, turn: int) -> Removal:
        """Delete one turn; what follows it stays. Give the result to ``undo_delete``."""
        return self._delete(turn, branch=False)

    def delete_branch(self, turn: int) -> Removal:
        """Delete a turn and everything after it. Give the result to ``undo_delete``."""
        return self._delete(turn, branch=True)

    def undo_delete(self, removal: Removal) -> None:
        """Put back what was deleted."""
        self._book.undo(removal)
        self.path_changed.emit(self.path())

    def change_row(self, **values: object) -> None:
        """Change the title or a flag, by the names of ``ChatRow``."""
        self._book.change_row(**values)
        self.row_changed.emit(self.row)

    def set_options(self, options: ChatOptions) -> None:
        """Change what holds for this chat alone."""
        self._book.set_options(options)
        self.row_changed.emit(self.row)

    def send_queued(self) -> None:
        """Send the first waiting message, for example after a failure held it back."""
        if self._unsent.queued and not self.state.busy:
            message = self._unsent.take()
            self.send(message.text, message.begins, message.attachments)

    def close(self) -> None:
        """Save everything that only memory has; a running reply ends as interrupted."""
        self._fetching.stop()
        self._unsent.close()
        self._after = None
        self._answering.interrupt()

    # --- inside ---------------------------------------------------------------------------------

    def _add(self, turn: Turn) -> Turn:
        """Add a turn to the conversation and to the screen."""
        if self._book.add(turn):
            self.turn_added.emit(self._book.tree.get(turn.id))
        else:
            self.path_changed.emit(self.path())
        self.row_changed.emit(self.row)
        return turn

    def _turn(self, turn: int) -> Turn:
        found = self._book.tree.get(turn)
        if self._answering.turn_id != turn or (running := self._answering.turn) is None:
            return found
        return replace(running, version=found.version, versions=found.versions)

    def _answer(
        self, parent: int | None, prefill: str = "", begins: Beginning | None = None
    ) -> None:
        """Begin a reply under a turn."""
        turn = self._add(self.replying.new_turn(parent, prefill))
        self.replying.start(turn, continues=bool(prefill), begins=begins)

    def _edit_question(self, turn: int, text: str, again: bool, files: Files | None) -> None:
        old = self._book.tree.get(turn)
        kept = old.attachments if files is None else files
        new = self._add(self._book.new_turn(old.parent, old.role, text, kept))
        if again:
            self._answer(new.id)

    def _edit_reply(self, turn: int, text: str, go_on: bool) -> None:
        old = self._book.tree.get(turn)
        self._book.put(replace(old, content=text, figures=None, ids=()))
        self._services.inspections.forget(turn)
        self.turn_changed.emit(self._book.tree.get(turn))
        if go_on:
            self._continue(turn)

    def _continue(self, turn: int) -> None:
        going_on = self.replying.reopen(turn)
        self.turn_changed.emit(self._book.tree.get(turn))
        self.replying.start(going_on, continues=True)

    def _delete(self, turn: int, branch: bool) -> Removal:
        if self.state.turn in self._book.tree.branch(turn):
            self._answering.stop()
        removal = self._book.remove(turn, branch)
        self.turns_deleted.emit()
        self.path_changed.emit(self.path())
        return removal

    def _when_idle(self, action: Callable[[], None]) -> None:
        """Do something that needs the chat at rest: now, or after the running reply's end."""
        if self.state.busy:
            self._after = action
            self._answering.stop()
        else:
            action()

    @Slot()
    def _on_state_changed(self) -> None:
        state = self.state
        self.state_changed.emit(state)
        if state.busy != self._was_busy:
            self._was_busy = state.busy
            self.answering_changed.emit(self.row.id)

    @Slot(object)
    def _on_ended(self, turn: Turn) -> None:
        if turn.id in self._book.tree:
            self._book.tree.change(turn)
            self.turn_changed.emit(self._book.tree.get(turn.id))
        action, self._after = self._after, None
        if action is not None:
            action()
        elif turn.state not in {TurnState.FAILED, TurnState.INTERRUPTED}:
            self.send_queued()
