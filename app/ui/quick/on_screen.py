"""Quick questions between a start that asks for them, the model and the chats.

Each is a temporary chat: nothing of it is kept, unless it is opened as a chat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.library import ChatLibrary
from app.chat.model_session import ModelPhase, ModelSession
from app.chat.session import ChatSession
from app.chat.turn import Turn, TurnState
from app.language import Language
from app.store.settings import SettingsFile
from app.ui.chats_on_screen import ChatsOnScreen
from app.ui.deeds import Deeds
from app.ui.faults import FaultText, fault_text
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from app.ui.start_on_screen import come_forward
from engine.contract import Channel, Role

if TYPE_CHECKING:
    from app.ui.quick.window import QuickWindow

_SILENT = {ModelPhase.NONE, ModelPhase.FAILED}


class QuickOnScreen(QObject):
    """Opens the window where the setting allows it, and answers in it.

    Args:
        chats: holds the temporary chat.
        model: answers.
        settings: whether quick questions are wanted.
        window: with the chats; the program's own.
        shown: opens a chat in it.
        deeds: says that quick questions are off.
    """

    def __init__(
        self,
        chats: ChatLibrary,
        model: ModelSession,
        settings: SettingsFile,
        window: MainWindow,
        shown: ChatsOnScreen,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._chats, self._model, self._settings = chats, model, settings
        self._window, self._shown, self._deeds = window, shown, deeds
        self._session: ChatSession | None = None
        self.quick: QuickWindow | None = None

    @Slot()
    def open(self) -> None:
        """Show the window over all others, or say how it is turned on."""
        if not self._settings.settings.quick_ask:
            come_forward(self._window)
            self._deeds.announce(Announcement("quick_ask", Tone.INFO, _is_off))
            return
        self._window.begin_unseen()
        if self.quick is None:
            from app.ui.quick.window import QuickWindow  # noqa: PLC0415 - at the wish

            self.quick = quick = QuickWindow(self._window.look)
            quick.asked.connect(self._on_asked)
            quick.stop_wanted.connect(self._on_stop)
            quick.chat_wanted.connect(self._on_chat_wanted)
            quick.left.connect(self.leave)
        loaded = self._model.state.loaded
        self.quick.mark.show_server(loaded.model.server if loaded is not None else "")
        come_forward(self.quick)
        self.quick.field.setFocus()

    @Slot()
    def leave(self) -> None:
        """Close the window; what was asked in it is gone."""
        if self.quick is not None:
            self.quick.hide()
            self.quick.begin()
        session, self._session = self._session, None
        if session is not None:
            self._chats.delete(session.row.id)

    def close(self) -> None:
        """End with the program."""
        self.leave()
        if self.quick is not None:
            self.quick.deleteLater()
            self.quick = None

    @Slot(str)
    def _on_asked(self, question: str) -> None:
        if self.quick is None:
            return
        if self._model.state.phase in _SILENT:
            self.quick.say(self._window.look.language.text("quick-no-model"))
            return
        if self._session is None:
            session = self._session = self._chats.new_temporary()
            session.text_added.connect(self._on_text)
            session.turn_changed.connect(self._on_turn)
            session.state_changed.connect(self._on_state)
        self.quick.ask(question)
        self._session.send(question)

    @Slot(int, object, str)
    def _on_text(self, turn: int, channel: Channel, text: str) -> None:
        if self.quick is not None and self._session is not None and channel is Channel.ANSWER:
            self.quick.answer.show_text(self.quick.answer.text + text)

    @Slot(object)
    def _on_turn(self, turn: Turn) -> None:
        if self.quick is None or self._session is None or turn.role is not Role.ASSISTANT:
            return
        self.quick.answer.show_text(turn.content)
        if turn.state is TurnState.FAILED and turn.fault is not None:
            self.quick.say(fault_text(turn.fault, self._window.look.language).sentence)

    @Slot(object)
    def _on_state(self, state: object) -> None:
        if self.quick is not None and self._session is not None:
            self.quick.set_busy(busy=self._session.state.busy)

    @Slot()
    def _on_stop(self) -> None:
        if self._session is not None:
            self._session.stop()

    @Slot()
    def _on_chat_wanted(self) -> None:
        """Keep what was asked as a chat, and go on in the program's window."""
        session, self._session = self._session, None
        if session is not None:
            self._shown.open(self._chats.keep(session.row.id).row.id)
        self.leave()
        come_forward(self._window)


def _is_off(language: Language) -> FaultText:
    return FaultText(language.text("quick-off"), language.text("quick-off-about"))
