"""The transcript: what a chat's session says becomes turns, what the user does becomes signals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

from app.chat.activity import Activity
from app.chat.turn import Turn, TurnState
from app.language import Language
from app.rendering.reader import Reader
from app.store.turn_text import Where
from app.ui.attachments.preview import open_preview
from app.ui.background import ThreadBackground
from app.ui.look import Look
from app.ui.pace import Pace
from app.ui.theme import Theme
from app.ui.transcript.code_choices import CodeChoices
from app.ui.transcript.finder import Finder
from app.ui.transcript.formulas import Formulas
from app.ui.transcript.live import Live
from app.ui.transcript.long_texts import LongTexts
from app.ui.transcript.outside import copy_text, open_address
from app.ui.transcript.paper import READING, Paper, Typeset
from app.ui.transcript.pigments import pigment
from app.ui.transcript.question import QuestionTurn
from app.ui.transcript.reply import ReplyTurn
from app.ui.transcript.reveal import Revealing
from app.ui.transcript.selection import Selection
from app.ui.transcript.source import selected_markdown
from app.ui.transcript.turn_signals import pass_on
from app.ui.transcript.turn_widget import TurnWidget
from app.ui.transcript.turns import Entry
from app.ui.transcript.view import TurnView
from engine.contract import Channel, Role


class Transcript(TurnView):
    """The open chat. The numbers in its signals are those of turns."""

    regenerate_requested = Signal(int)
    edit_submitted = Signal(int, str, bool, object)  # turn, text, answer again, its files
    editing_started = Signal(object)  # EditBox of a question
    editing_ended = Signal()
    save_requested = Signal(str, str)  # text, proposed name of a file
    version_requested = Signal(int, int)  # turn, step
    continue_requested = Signal(int)
    delete_requested = Signal(int, bool)  # turn, with everything after it
    branch_requested = Signal(int)
    inspect_requested = Signal(int)
    fault_action_requested = Signal(int, bool)  # turn, whether the reason is looked for first
    link_opened = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        look, self._reader = Look(theme, language), Reader()
        super().__init__(look, self._reader, parent)
        self._typeset = Typeset(theme)
        self._formulas = Formulas(ThreadBackground, partial(pigment, theme), self)
        self._formulas.drawn.connect(self._on_drawn)
        self._selection = Selection(self, self)
        self._paper = Paper(
            look=look,
            typeset=self._typeset,
            formulas=self._formulas,
            selection=self._selection,
            reader=self._reader,
            texts=LongTexts(ThreadBackground, self),
            open_link=self.open_link,
            copy=copy_text,
            copy_markdown=self.copy_selected_markdown,
            save=self.save_requested.emit,
            preview=lambda file: open_preview(look, file, self),
        )
        self._drawn = False
        self._finder = Finder(look, self._turns, self._reader, self)
        self._finder.marking_changed.connect(self._on_marking_changed)
        self._revealing = Revealing(look, self, self._finder, self.turn_widget)
        self._finder.closed.connect(self.setFocus)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.open_find)
        self._growing: set[int] = set()  # replies with text that has not been laid out
        self.pace = Pace(self._grow, self)
        self._second = QTimer(self)
        self._second.setInterval(1000)
        self._second.timeout.connect(self._on_second)
        look.follow(self._on_look_changed)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self.on_focus_changed)

    # --- what the session says ----------------------------------------------------------------

    def show_path(self, turns: Sequence[Turn]) -> None:
        """Show a chat's turns; those that are shown already keep their widgets and their place."""
        anchor = self.anchor()
        shown = {entry.turn.id for entry in self._turns.entries}
        same_chat = any(turn.id in shown for turn in turns)
        for entry in self._turns.replace(turns):
            self.let_go(entry)
        if not same_chat:
            self._follows = True
            self._reach.move(1 << 30)
            self._formulas.wait()
            self._finder.leave()
        self._finder.look_again()
        self.arrange(anchor if same_chat else None)

    def add_turn(self, turn: Turn) -> None:
        """Add a turn at the end; one's own question brings the end into view."""
        anchor = self.anchor()
        self._turns.append(turn)
        self._follows |= turn.role is Role.USER
        self.arrange(anchor)

    def push_text(self, turn: int, channel: Channel, text: str) -> None:
        """Take new text of a reply; it is laid out within a frame's share of time."""
        entry = self._turns.find(turn)
        if entry is None:
            return
        if entry.live is None:
            entry.live = Live(entry.turn, self._reader)
            self._hand_over(entry)
        if "$" in text or "\\" in text:
            self._formulas.expect()
        entry.live.push(channel, text)
        self._growing.add(turn)
        self.pace.ask()
        if not self._second.isActive():
            self._second.start()

    def change_turn(self, turn: Turn) -> None:
        """Show another state of a turn: it was finished, or has more versions now."""
        entry = self._turns.find(turn.id)
        if entry is None:
            return
        anchor = self.anchor()
        self._growing.discard(turn.id)
        entry.turn, entry.laid_out = turn, False
        if turn.state is TurnState.STREAMING and entry.live is None:
            entry.live = Live(turn, self._reader)
        self._hand_over(entry)
        if entry.widget is not None:
            entry.widget.show_turn(turn)
        if turn.state is not TurnState.STREAMING:
            entry.live = None
            self._finder.look_again()
        self.arrange(anchor)

    def show_prefill(self, turn: int, done: int, total: int, reused: int) -> None:
        """Show how much of the prompt has been read, and how much of it did not have to be."""
        entry = self._turns.find(turn)
        if entry is not None and isinstance(entry.widget, ReplyTurn):
            entry.widget.show_prefill(done, total, reused)

    def show_activity(self, turn: int, activity: Activity) -> None:
        """Say what a reply without a word waits for."""
        entry = self._turns.find(turn)
        if entry is not None and isinstance(entry.widget, ReplyTurn):
            entry.widget.show_activity(activity)

    # --- what others ask ----------------------------------------------------------------------

    def turn_widget(self, turn: int) -> TurnWidget | None:
        """Return the widget of a turn, None while it is not near the view."""
        return entry.widget if (entry := self._turns.find(turn)) else None

    def edit_turn(self, turn: int) -> None:
        """Begin to change a message in its place."""
        self.bring_up(turn)
        if (widget := self.turn_widget(turn)) is not None:
            widget.start_editing()

    def copy_selected_markdown(self) -> None:
        """Copy what is selected as it was written."""
        near = sorted(self._alive, key=lambda entry: entry.top)
        copy_text(selected_markdown(e.widget for e in near if e.widget))

    @Slot()
    def open_find(self) -> None:
        """Look for words in this chat."""
        self._finder.open()

    def flush(self) -> None:
        """Lay out at once what has been pushed."""
        self.pace.flush()
        while self._growing:
            self.pace.flush()

    def open_link(self, address: str) -> None:
        """Open an address in the system's browser or mail program; only ever after a click."""
        if open_address(address):
            self.link_opened.emit(address)

    def make_widget(self, entry: Entry) -> TurnWidget:
        """Return a new widget for a turn, its signals connected."""
        turn, view = entry.turn, self.viewport()
        widget: TurnWidget
        if turn.role is Role.ASSISTANT:
            entry.choices = entry.choices or CodeChoices()
            widget = ReplyTurn(self._paper, turn, entry.live, view, entry.choices)
            asked = self._turns.find(turn.parent or 0)
            if asked is not None:
                widget.show_files([file.name for file in asked.turn.attachments])
        else:
            widget = QuestionTurn(self._paper, turn, view)
        widget.mark(self._finder.marking)
        widget.height_changed.connect(self.on_height_changed)
        widget.column.growing.connect(self.on_growing)
        pass_on(widget, turn.id, self)
        return widget

    @Slot()
    def _on_marking_changed(self) -> None:
        for widget in filter(None, [entry.widget for entry in self._alive]):
            widget.mark(self._finder.marking)

    def show_words(self, turn: int, words: str, where: Where = Where.SAID) -> None:
        """Bring the first place of words in a turn into view, marked, with the bar to step on."""
        self.bring_up(turn)
        self._finder.open_at(words, turn, where)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the bar of the search at its corner."""
        super().resizeEvent(event)
        self._finder.place()

    def _hand_over(self, entry: Entry) -> None:
        if isinstance(entry.widget, ReplyTurn) and entry.live is not None:
            entry.widget.set_live(entry.live)

    def _grow(self) -> None:
        """Lay out what the growing replies have become: one pass, one paint."""
        at_end, drawn = self.follows_end(), self._drawn
        self.is_extending = at_end and not drawn
        anchor, grown = None if at_end else self.anchor(), self._follow_growing()
        if self._growing:
            self.pace.ask()
        if not self._follows and grown:
            self._new_text.announce()
        if at_end and len(grown) == 1 and not drawn and self.extend(grown[0]):
            return
        self.is_extending = False
        for entry in grown:
            entry.laid_out = False
        self._show_drawn()
        self.arrange(anchor)

    def _follow_growing(self) -> list[Entry]:
        """Show what has come in the widgets of growing replies, and return their entries."""
        grown = []
        for number in tuple(self._growing):
            entry = self._turns.find(number)
            if entry is None or entry.live is None or not entry.live.catch_up():
                self._growing.discard(number)
            if entry is not None:
                grown.append(entry)
                if isinstance(entry.widget, ReplyTurn):
                    entry.widget.follow()
        return grown

    def _show_drawn(self) -> None:
        """Put formulas that have been drawn in the place of their sources."""
        drawn, self._drawn = self._drawn, False
        for entry in self._alive if drawn else ():
            entry.laid_out &= not (entry.widget and entry.widget.refresh_formulas())

    @Slot()
    def _on_drawn(self) -> None:
        self._drawn = True
        self.pace.ask()

    @Slot()
    def _on_second(self) -> None:
        """Count the seconds on while the model thinks."""
        live = [entry for entry in self._turns.entries[-4:] if entry.live is not None]
        for entry in live:
            if isinstance(entry.widget, ReplyTurn) and entry.live and entry.live.is_thinking:
                entry.widget.follow()
        if not live:
            self._second.stop()

    @Slot()
    def _on_look_changed(self) -> None:
        """Set everything anew in the new colours, sizes and words."""
        self.setAccessibleName(self._look.language.text("transcript-name"))
        self._typeset.forget()
        self._formulas.forget_pictures()
        anchor = self.anchor()
        self._turns.line = self._typeset.line(READING)
        self.take_measure()
        for entry in self._alive:
            if entry.widget is not None:
                entry.widget.restyle()
                entry.laid_out = False
        self.arrange(anchor)
