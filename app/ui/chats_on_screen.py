"""Chats between library and screen: the list, the open one, what the user does to them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication

from app.chat.activity import SessionState
from app.chat.library import ChatLibrary
from app.chat.searching import ChatSearch
from app.chat.session import ChatSession
from app.chat.token_count import TokenCount
from app.store.faults import StoreError, StoreFault
from app.store.search import words_of
from app.store.settings import SettingsFile
from app.ui.chat_deeds import ChatDeeds
from app.ui.deeds import Deeds
from app.ui.faults import notice_text
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from app.ui.store_faults import store_fault_text
from engine.contract import Metrics, Notice, NoticeKind, Role


class ChatsOnScreen(QObject):
    """Answers the signals of sidebar, chat page and library."""

    def __init__(
        self,
        chats: ChatLibrary,
        search: ChatSearch,
        tokens: TokenCount,
        settings: SettingsFile,
        window: MainWindow,
        deeds: Deeds,
        chat_deeds: ChatDeeds,
    ) -> None:
        super().__init__(window)
        self._chats, self._search = chats, search
        self._tokens, self._settings = tokens, settings
        self._window, self._deeds = window, deeds
        self._chat_deeds = chat_deeds
        self._sidebar, self._page = window.parts.sidebar, window.parts.chat
        self._status = window.parts.status
        self._connect()

    def begin(self) -> None:
        """Open the chat of the last time, or a new one, behind whatever page is open."""
        last = self._settings.settings.last_chat
        known = any(row.id == last for row in self._chats.chats())
        session = self._read(last) if known else None
        self._show(session if session is not None else self._chats.new())
        if self._window.page == "chat":
            self._window.focus_message()

    @Slot(int)
    def open(self, chat: int) -> None:
        """Show a chat."""
        session = self._read(chat)
        if session is not None:
            self._show(session)
        self._window.show_page("chat")

    @Slot(int, int)
    def open_at(self, chat: int, turn: int) -> None:
        """Show a chat at one of its turns, in whichever version of the conversation it stands."""
        try:
            session = self._read(chat)
        except KeyError:
            return  # deleted since it was found
        if session is None:
            return
        session.show_turn(turn)
        self.open(chat)
        words = words_of(self._sidebar.search.text())
        if words:
            where = self._sidebar.rows.where_found(turn)
            self._page.transcript.show_words(turn, words[0], where)
        else:
            self._page.transcript.bring_up(turn)

    @Slot()
    def new(self) -> None:
        """Show a new chat; an empty one that is there already will do."""
        self._show(self._chats.new())
        self._window.show_page("chat")

    @Slot()
    def new_temporary(self) -> None:
        """Show a new chat that is never on disk; an empty one that is open already will do."""
        session = self._page.session
        if session is None or session.row.id > 0 or session.path():
            self._show(self._chats.new_temporary())
        self._window.show_page("chat")

    def step(self, step: int) -> None:
        """Show the chat that stands so many places after the open one."""
        ids = [row.id for row in self._chats.chats()]
        if ids:
            now = ids.index(self._deeds.open_chat) if self._deeds.open_chat in ids else -step
            self.open(ids[(now + step) % len(ids)])

    def copy_reply(self) -> None:
        """Copy the last reply of the open chat as it was written, in Markdown."""
        turns = self._page.session.path() if self._page.session is not None else []
        reply = next((turn for turn in reversed(turns) if turn.role is Role.ASSISTANT), None)
        if reply is not None:
            QGuiApplication.clipboard().setText(reply.content)

    def rename_open(self) -> None:
        """Begin to write another title: of the list's current row, or of the open chat."""
        if self._sidebar.list.hasFocus():
            self._sidebar.list.rename_current()
        else:
            self._page.header.title.edit()

    # --- inside -------------------------------------------------------------------------------

    def _connect(self) -> None:
        sidebar, page, chats = self._sidebar, self._page, self._chats
        chats.changed.connect(self._search_again)
        chats.answering_changed.connect(self._search_again)
        sidebar.new_chat_requested.connect(self.new)
        sidebar.temporary_chat_requested.connect(self.new_temporary)
        sidebar.chat_chosen.connect(self.open)
        sidebar.searched.connect(self._search.find)
        self._search.found.connect(sidebar.rows.show_found)
        sidebar.hit_chosen.connect(self.open_at)
        page.renamed.connect(chats.rename)
        page.damaged.connect(self._on_damaged)
        page.verbs.branch_wanted.connect(self._on_branch_wanted)
        page.state_changed.connect(self._on_state_changed)
        page.metrics_changed.connect(self._on_metrics_changed)
        page.turns_changed.connect(self._on_turns_changed)
        page.fetched.connect(self._on_fetched)
        page.draft_changed.connect(self._tokens.set_draft)
        page.box.options.shown.connect(self._tokens.set_options)
        self._tokens.draft_counted.connect(page.box.show_draft)
        self._tokens.path_counted.connect(self._on_path_counted)
        self._chat_deeds.instructions_wanted.connect(page.box.options.edit_instructions)
        self._chat_deeds.chat_wanted.connect(self.open)
        self._chat_deeds.new_chat_wanted.connect(self.new)
        self._deeds.new_chat_wanted.connect(self.new)

    def _read(self, chat: int) -> ChatSession | None:
        """Return a chat, or None after saying why the disk does not hand it out.

        Raises:
            KeyError: there is no such chat.
        """
        try:
            return self._chats.open(chat)
        except StoreError as error:
            fault = error.fault
            self._deeds.announce(
                Announcement(
                    "chat-damaged", Tone.ERROR, lambda language: store_fault_text(fault, language)
                )
            )
            return None

    def _show(self, session: ChatSession) -> None:
        chat = session.row.id
        if chat != self._deeds.open_chat:
            self._deeds.forget_undo("turn-deleted")  # nobody would see it come back
        self._deeds.open_chat = chat
        if chat > 0 and self._chats.saving.is_lasting:  # not a temporary one
            self._settings.change(last_chat=chat)
        self._page.open(session)
        self._sidebar.rows.mark_open(chat)
        if session.fault is not None:
            self._on_damaged(session.fault)
        else:
            self._deeds.dismiss("chat-damaged")

    @Slot(object)
    def _on_damaged(self, fault: StoreFault) -> None:
        """Say how much of the open chat cannot be read."""
        self._deeds.announce(
            Announcement(
                "chat-damaged",
                Tone.WARNING,
                lambda language: store_fault_text(fault, language),
                of_chats=True,
            )
        )

    @Slot(int, int)
    def _on_branch_wanted(self, chat: int, turn: int) -> None:
        """Open a new chat with what led to a turn."""
        self.open(self._chats.branch(chat, turn).row.id)

    @Slot()
    def _search_again(self) -> None:
        """Keep what was found true while chats change."""
        if self._sidebar.rows.is_filtered:
            self._search.find(self._sidebar.search.text())

    @Slot(object)
    def _on_state_changed(self, state: SessionState) -> None:
        self._status.set_answering(state.busy)

    @Slot(object)
    def _on_metrics_changed(self, metrics: Metrics) -> None:
        if self._status.show_metrics(metrics):
            self._page.box.show_used(metrics.context_used)

    def _count_path(self) -> None:
        """Let a conversation be counted that no reply has measured, once all of it is here."""
        session = self._page.session
        known = self._page.is_measured()
        unknown = session is not None and not known and not session.state.busy
        is_here = session is not None and session.is_fetched and len(session.path()) > 0
        self._tokens.set_path(session.messages() if session and unknown and is_here else ())

    @Slot()
    def _on_fetched(self) -> None:
        self._count_path()

    @Slot(int)
    def _on_path_counted(self, used: int) -> None:
        self._page.box.show_used(used)
        self._status.show_context(used)

    @Slot()
    def _on_turns_changed(self) -> None:
        """Show the figures of the newest reply, and say when the oldest turns were left out."""
        self._search_again()
        reply = self._page.last_reply()
        figures = reply.figures if reply is not None else None
        used = figures.prompt_tokens + figures.generated_tokens if figures is not None else 0
        self._page.box.show_used(used)
        self._count_path()
        if figures is None:
            self._status.show_context(0)
            self._deeds.dismiss("turns-left-out")
            return
        self._status.show_end(figures.tokens_per_second, figures.time_to_first_token_s, used)
        if figures.left_out_turns:
            notice = Notice(NoticeKind.TURNS_LEFT_OUT, {"turns": figures.left_out_turns})
            self._deeds.announce(
                Announcement(
                    "turns-left-out",
                    Tone.WARNING,
                    lambda language: notice_text(notice, language),
                    self.new,
                    of_chats=True,
                )
            )
        else:
            self._deeds.dismiss("turns-left-out")
