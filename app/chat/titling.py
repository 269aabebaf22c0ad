"""Titles made by the model, behind everything else.

A chat is named after its first question at once; when nothing has been asked for a moment, the
model is asked for a better name, once a chat. The question for it is put behind the conversation as
the engine has it, so that what it holds of the chat is read again and nothing of it is lost (case
C11); it is given up as soon as anybody asks something.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.library import ChatLibrary
from app.chat.model_session import ModelPhase, ModelState
from app.chat.services import Services
from app.chat.session import ChatSession
from app.chat.title import model_title, title_question
from engine.contract import (
    Channel,
    Event,
    Failed,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Message,
    Priority,
    Role,
    Sampling,
    TextDelta,
    Thinking,
)

_QUIET_MS = 1_500  # nothing was asked for so long
_TOKENS = 32  # of a title; a longer one is none
_WHOLE = (FinishReason.END_OF_TURN, FinishReason.STOP_STRING)
_ROOM = 160  # tokens that the question for it and the title take, with the template's


class Titling(QObject):
    """Names chats that were named after their first question.

    Args:
        chats: the chats.
        services: engine, model and settings.
        quiet_ms: how long nothing must have been asked.
    """

    ended = Signal(int)  # chat: whatever came of it

    def __init__(
        self,
        chats: ChatLibrary,
        services: Services,
        quiet_ms: int = _QUIET_MS,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chats, self._services = chats, services
        self._wanted: dict[int, None] = {}  # chats, in the order in which they were answered
        self._tried: set[int] = set()
        self._chat = 0  # whose title is being made
        self._request = 0
        self._said = ""
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(quiet_ms)
        self._quiet.timeout.connect(self._on_quiet)
        chats.answering_changed.connect(self._on_answering_changed)
        services.bridge.received.connect(self.on_received)
        services.model.state_changed.connect(self._on_model_changed)

    def close(self) -> None:
        """Give up what is under way."""
        self._quiet.stop()
        self._wanted.clear()
        self._give_up()

    @Slot(int)
    def _on_answering_changed(self, chat: int) -> None:
        if self._chats.is_any_answering():
            self._quiet.stop()
            if self._request:
                self._wanted[self._chat] = None
                self._give_up()
            return
        if chat > 0 and chat not in self._tried:
            self._wanted[chat] = None
        if self._wanted:
            self._quiet.start()

    @Slot(object)
    def _on_model_changed(self, state: ModelState) -> None:
        if state.phase is not ModelPhase.READY:
            self._wanted.clear()
            self._give_up()

    @Slot()
    def _on_quiet(self) -> None:
        """Begin with the first chat that wants a title."""
        while self._wanted and not self._request:
            chat = next(iter(self._wanted))
            del self._wanted[chat]
            session = self._chats.peek(chat)
            if session is not None and self._wants_title(session):
                self._begin(session)

    def _wants_title(self, session: ChatSession) -> bool:
        loaded = self._services.model.state.loaded
        path = session.path()
        figures = path[-1].figures if path else None
        used = figures.prompt_tokens + figures.generated_tokens if figures is not None else 0
        return (
            self._services.settings.settings.model_titles
            and session.row.title_by == "question"
            and loaded is not None
            and not loaded.model.server  # it would send the chat again, and may cost money
            and 0 < used < loaded.context - _ROOM
        )

    def _begin(self, session: ChatSession) -> None:
        self._chat, self._said = session.row.id, ""
        self._request = self._services.bridge.next_request()
        messages = session.messages()
        asked = title_question("".join(message.content for message in messages[-4:]))
        settings = GenerateSettings(
            Sampling(temperature=0), max_tokens=_TOKENS, priority=Priority.BACKGROUND
        )
        command = Generate(
            self._request, (*messages, Message(Role.USER, asked)), settings, Thinking.OFF
        )
        self._services.bridge.submit(command)

    @Slot(object)
    def on_received(self, event: Event) -> None:
        """Take the events of the title that is being made."""
        if not self._request or event.request != self._request:
            return
        match event:
            case TextDelta(channel=Channel.ANSWER, text=text):
                self._said += text
            case Finished(reason=reason):
                self._end(model_title(self._said) if reason in _WHOLE else "")
            case Failed():
                self._end("")
            case _:  # figures, and what it thought
                pass

    def _end(self, title: str) -> None:
        chat, self._request = self._chat, 0
        self._tried.add(chat)
        session = self._chats.peek(chat)
        if title and session is not None and session.row.title_by == "question":
            session.change_row(title=title, title_by="model")
        self.ended.emit(chat)
        if self._wanted:
            self._quiet.start()

    def _give_up(self) -> None:
        if self._request:
            self._services.bridge.cancel(self._request)
            self._request = 0
