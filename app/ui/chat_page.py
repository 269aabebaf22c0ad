"""The page of a chat: head, transcript, notices, message box; shows whichever session is open.

The page decides nothing: the session's signals go to the transcript and the box, what the user
does there goes to the session as a verb.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QMetaObject, QObject, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.chat.activity import SessionState
from app.chat.model_session import ModelPhase, ModelState
from app.chat.session import ChatSession
from app.chat.turn import Turn
from app.store.rows import ChatRow
from app.ui.box_verbs import BoxVerbs
from app.ui.chat_line import ChatLine
from app.ui.empty_chat import LOWEST, Body, EmptyChat
from app.ui.header import ChatHeader
from app.ui.look import Look
from app.ui.message_box import MessageBox
from app.ui.model_words import placeholder_id
from app.ui.notices import Notices
from app.ui.turn_verbs import TurnVerbs
from engine.contract import Channel, Progress, Stage

if TYPE_CHECKING:
    from app.ui.transcript import Transcript

_SIDE, _NARROW_SIDE, _NARROW = 24, 20, 800


class ChatPage(QWidget):
    """One chat on the screen."""

    metrics_changed = Signal(object)  # Metrics of the open chat
    state_changed = Signal(object)  # SessionState of the open chat
    turns_changed = Signal()  # the path, or a turn's end: figures may be new
    draft_changed = Signal(str)
    opened = Signal(object)  # ChatSession
    files_changed = Signal()  # the draft has other files: it was sent, or a message came back
    renamed = Signal(int, str)
    title_changed = Signal(str)
    refused = Signal()  # sent without a model
    fetched = Signal()  # every turn of the open chat is in memory
    damaged = Signal(object)  # StoreFault: turns of the open chat could not be read

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("paper")
        self._look = look
        self._session: ChatSession | None = None
        self._model = ModelState()
        self._connections: list[QMetaObject.Connection] = []
        self._reused: dict[int, int] = {}  # reply: tokens that its prefill did not have to read
        self.header = ChatHeader(look)
        self.line = ChatLine(look)
        self._transcript: Transcript | None = None
        self.box = MessageBox(look)
        self._box_verbs = BoxVerbs(look, self.box, self)
        self._empty = EmptyChat(look)
        self._body = Body()
        self.verbs = TurnVerbs(look, self)
        self.verbs.editing_ended.connect(self.box.field.setFocus)
        self._column = QWidget()
        self._lay_out()
        self._connect()
        look.follow(self._on_look_changed)

    @property
    def session(self) -> ChatSession | None:
        """The open chat."""
        return self._session

    @property
    def transcript(self) -> Transcript:
        """The transcript; made when the first chat is opened, for its libraries take their time."""
        if self._transcript is None:
            from app.ui.transcript import Transcript  # noqa: PLC0415

            self._transcript = Transcript(self._look.theme, self._look.language)
            self._body.addWidget(self._transcript)
            self.verbs.listen_to(self._transcript)
            self._align()
        return self._transcript

    def open(self, session: ChatSession) -> None:
        """Show another chat; the one before lives on by itself."""
        if session is self._session:
            return
        for connection in self._connections:
            QObject.disconnect(connection)
        self._session = session
        self.verbs.session = session
        self._reused.clear()
        self._connections = [
            session.path_changed.connect(self._on_path_changed),
            session.turn_added.connect(self._on_turn_added),
            session.turn_changed.connect(self._on_turn_changed),
            session.text_added.connect(self._on_text_added),
            session.progressed.connect(self._on_progressed),
            session.metrics_changed.connect(self.metrics_changed),
            session.state_changed.connect(self._on_state_changed),
            session.row_changed.connect(self._on_row_changed),
            session.damaged.connect(self.damaged),
            session.fetched.connect(self.fetched),
        ]
        self._on_row_changed(session.row)
        self._on_path_changed(session.path())
        self._on_state_changed(session.state)
        self._box_verbs.open(session)
        self.opened.emit(session)

    def hold(self, notices: Notices) -> None:
        """Show the notices above the message box, as long as this page is open."""
        column = self._column.layout()
        if isinstance(column, QVBoxLayout):
            column.insertWidget(0, notices)
            notices.stand_in_chat()

    def show_context(self, size: int) -> None:
        """Say for how many tokens there is room in all."""
        self.box.show_context(size)

    def show_model(self, state: ModelState) -> None:
        """Follow the model: the picker, and whether something can be sent."""
        self._model = state
        self.header.picker.show_state(state)
        loaded = state.known
        self.box.options.show_can_think(loaded is not None and loaded.can_think)
        self.box.set_can_send(state.phase not in {ModelPhase.NONE, ModelPhase.FAILED})
        self._say_placeholder()

    def last_reply(self) -> Turn | None:
        """Return the newest reply that has figures."""
        turns = self._session.path() if self._session is not None else []
        return next((turn for turn in reversed(turns) if turn.figures is not None), None)

    def is_measured(self) -> bool:
        """Tell whether the newest turn is a reply whose figures tell what the chat takes."""
        turns = self._session.path() if self._session is not None else []
        return bool(turns) and turns[-1].figures is not None

    def answer_again(self) -> None:
        """Answer the last question again."""
        if self._session is not None and (turns := self._session.path()):
            self._session.regenerate(turns[-1].id)

    def stop(self) -> bool:
        """Stop the running reply; False when there is none."""
        if self._session is None or not self._session.state.busy:
            return False
        self._session.stop()
        return True

    # --- construction -------------------------------------------------------------------------

    def _lay_out(self) -> None:
        column = QVBoxLayout(self._column)
        column.setContentsMargins(0, 0, 0, 12)
        column.setSpacing(8)
        column.addWidget(self.box)
        foot = QHBoxLayout()
        foot.setContentsMargins(0, 4, 0, 0)
        foot.addStretch(1)
        foot.addWidget(self._column, 1000)
        foot.addStretch(1)
        self._foot = foot
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addWidget(self.header)
        page.addWidget(self.line)
        self._body.addWidget(self._empty)
        self._body.setMinimumHeight(LOWEST)
        page.addWidget(self._body, 1)
        page.addLayout(foot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the box as wide as the transcript's column."""
        super().resizeEvent(event)
        self._align()
        self.box.field.fit()

    def _align(self) -> None:
        """Keep the room of the transcript's scroll bar, as its column does: one edge for both."""
        side = _NARROW_SIDE if self.width() < _NARROW else _SIDE
        bar = self._transcript.verticalScrollBar() if self._transcript is not None else None
        given = bar.sizeHint().width() if bar is not None else 0
        self._foot.setContentsMargins(side, 4, side + given, 0)

    def _connect(self) -> None:
        self._box_verbs.draft_changed.connect(self.draft_changed)
        self._box_verbs.files_changed.connect(self.files_changed)
        self._box_verbs.added.connect(self.turns_changed)
        self.box.refused.connect(self.refused)
        self._empty.suggested.connect(self.box.propose)
        self.box.stop_requested.connect(self.stop)
        self.box.field.edit_last_requested.connect(self.verbs.edit_last)
        self.header.title.renamed.connect(self._on_renamed)

    # --- from the session ---------------------------------------------------------------------

    @Slot(object)
    def _on_path_changed(self, turns: Sequence[Turn]) -> None:
        self.transcript.show_path(turns)
        self._body.setCurrentWidget(self.transcript if turns else self._empty)
        self._say_placeholder()
        self.turns_changed.emit()

    @Slot(object)
    def _on_turn_added(self, turn: Turn) -> None:
        self._body.setCurrentWidget(self.transcript)
        self.transcript.add_turn(turn)
        self._say_placeholder()

    @Slot(object)
    def _on_turn_changed(self, turn: Turn) -> None:
        self._reused.pop(turn.id, None)
        self.transcript.change_turn(turn)
        self.turns_changed.emit()

    @Slot(int, object, str)
    def _on_text_added(self, turn: int, channel: Channel, text: str) -> None:
        self.transcript.push_text(turn, channel, text)

    @Slot(object)
    def _on_progressed(self, progress: Progress) -> None:
        turn = self._session.state.turn if self._session is not None else None
        if turn is not None and progress.stage is Stage.PREFILL:
            reused = self._reused.setdefault(turn, progress.done)
            self.transcript.show_prefill(turn, progress.done, progress.total, reused)

    @Slot(object)
    def _on_state_changed(self, state: SessionState) -> None:
        self.box.set_answering(state.busy)
        if state.turn is not None:
            self.transcript.show_activity(state.turn, state.activity)
        self.box.queue.show_messages(state.queued)
        self.state_changed.emit(state)

    @Slot(object)
    def _on_row_changed(self, row: ChatRow) -> None:
        if self._session is not None:
            self.box.options.show_options(self._session.options)
        self.header.title.setText(row.title or self._look.language.text("chat-untitled"))
        self.title_changed.emit(row.title)

    # --- from the user ------------------------------------------------------------------------

    @Slot(str)
    def _on_renamed(self, title: str) -> None:
        if self._session is not None:
            self.renamed.emit(self._session.row.id, title)

    # --- words --------------------------------------------------------------------------------

    def _say_placeholder(self) -> None:
        is_empty = self._session is None or not self._session.path()
        text_id = placeholder_id(self._model.phase, is_empty=is_empty)
        self.box.show_placeholder(self._look.language.text(text_id))

    @Slot()
    def _on_look_changed(self) -> None:
        self._say_placeholder()
        self._column.setMaximumWidth(self._look.theme.column)
        if self._session is not None:
            self._on_row_changed(self._session.row)
