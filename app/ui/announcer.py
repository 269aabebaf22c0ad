"""What happens by itself, told to screen readers: answers, models, downloads, what a search found.

Beginnings, ends and steps on the way are said, never every token.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QObject, Slot

from app.chat.activity import Activity, SessionState
from app.chat.library import ChatLibrary
from app.chat.model_session import ModelPhase, ModelSession, ModelState
from app.chat.searching import ChatSearch
from app.chat.turn import Turn, TurnState
from app.store.search import SearchResults
from app.ui.faults import fault_text
from app.ui.main_window import MainWindow
from app.ui.model_shelf import FetchPhase, FetchState, ModelShelf
from app.ui.spoken import speak
from engine.contract import Role

_STEP = 25  # percent of a download between two announcements
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# a Chinese or Japanese character counts as a word, as word processors count
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+(?:['’\-][^\W{_CJK}]+)*")


class Announcer(QObject):
    """Listens to the chats, the model, the fetch and the search, and speaks for the window."""

    def __init__(
        self,
        window: MainWindow,
        model: ModelSession,
        shelf: ModelShelf,
        search: ChatSearch,
        chats: ChatLibrary,
    ) -> None:
        super().__init__(window)
        self._window, self._language = window, window.look.language
        self._page, self._rows = window.parts.chat, window.parts.sidebar.rows
        self._phase = model.state.phase
        self._turn: int | None = None  # the reply that is waited for
        self._is_writing = False
        self._step = 0  # of the fetch, in percent
        self._page.opened.connect(self._on_opened)
        self._page.state_changed.connect(self._on_state_changed)
        self._page.turns_changed.connect(self._on_turns_changed)
        model.state_changed.connect(self._on_model_changed)
        shelf.fetch_changed.connect(self._on_fetch_changed)
        search.found.connect(self._on_found)
        self._chats = chats
        chats.answering_changed.connect(self._on_answering_changed)

    def _say(self, text_id: str, **figures: int | str) -> None:
        speak(self._window, self._language.text(text_id, **figures))

    # --- the open chat ------------------------------------------------------------------------

    @Slot(object)
    def _on_opened(self) -> None:
        """Take up another chat as it is: what happened there meanwhile is on its page."""
        session = self._page.session
        state = session.state if session is not None else SessionState()
        self._turn, self._is_writing = state.turn, state.activity is Activity.WRITING

    @Slot(object)
    def _on_state_changed(self, state: SessionState) -> None:
        if state.turn is not None and state.turn != self._turn:
            self._turn, self._is_writing = state.turn, False
        if state.activity is Activity.WRITING and not self._is_writing:
            self._is_writing = True
            self._say("spoken-answer-begins")

    @Slot()
    def _on_turns_changed(self) -> None:
        session = self._page.session
        turns = session.path() if session is not None and self._turn is not None else []
        if turns and turns[-1].id == self._turn and turns[-1].state is not TurnState.STREAMING:
            self._turn = None
            self._say_end(turns[-1])

    def _say_end(self, turn: Turn) -> None:
        words = count_words(turn.content)
        match turn.state:
            case TurnState.FAILED if turn.fault is not None:
                text = self._language.text
                said = fault_text(turn.fault, self._language).sentence
                speak(self._window, f"{text('transcript-broken')} {said}", urgent=True)
            case TurnState.STOPPED:
                self._say("spoken-answer-stopped", words=words)
            case TurnState.CUT:
                self._say("spoken-answer-cut", words=words)
            case _:
                self._say("spoken-answer-ends", words=words)

    @Slot(int)
    def _on_answering_changed(self, chat: int) -> None:
        """Say that a reply has ended in a chat that is not the open one, and in which."""
        shown = self._page.session
        if (shown is not None and shown.row.id == chat) or self._chats.is_answering(chat):
            return
        session = self._chats.peek(chat)
        turns = session.path() if session is not None else []
        if session is None or not turns or turns[-1].role is not Role.ASSISTANT:
            return
        broken = turns[-1].state is TurnState.FAILED
        title = session.row.title or self._language.text("chat-untitled")
        self._say("spoken-other-broken" if broken else "spoken-other-ends", title=title)

    # --- model, fetch, search -----------------------------------------------------------------

    @Slot(object)
    def _on_model_changed(self, state: ModelState) -> None:
        """Say that a model loads, is there, or is no more; why it failed is a notice."""
        before, self._phase = self._phase, state.phase
        if before is state.phase:
            return
        name = self._page.header.picker.name()
        if state.phase is ModelPhase.LOADING:
            self._say("spoken-model-loading", name=name)
        elif state.phase is ModelPhase.READY:
            self._say("spoken-model-ready", name=name)
        elif state.phase is ModelPhase.RESTING:
            self._say("spoken-model-rests", name=name)
        elif state.phase is ModelPhase.NONE:
            self._say("spoken-model-unloaded")

    @Slot(object)
    def _on_fetch_changed(self, state: FetchState) -> None:
        if state.phase is FetchPhase.FAILED and state.fault is not None:
            speak(self._window, fault_text(state.fault, self._language).sentence, urgent=True)
        if state.phase is not FetchPhase.RUNNING:
            self._step = 0
            return
        if not state.done and not self._step:
            self._say("spoken-fetch-begins")
        step = 100 * state.done // max(1, state.total) // _STEP * _STEP
        if step > self._step:
            self._step = step
            self._say("spoken-fetch", percent=step)

    @Slot(object)
    def _on_found(self, results: SearchResults) -> None:
        if results.text.strip():
            self._say("spoken-found", chats=self._rows.shown_chats, hits=len(results.hits))


def count_words(text: str) -> int:
    """Return how many words a text has; a Chinese or Japanese character counts as one."""
    return len(_WORD.findall(text))
