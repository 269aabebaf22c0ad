"""A reply: the seal, what the model thought, what it wrote, how it ended, what it cost."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QTimer, Slot
from PySide6.QtWidgets import QWidget

from app.chat.activity import Activity
from app.chat.turn import Turn, TurnState
from app.rendering.blocks import Block, joined_texts
from app.rendering.tool_calls import call_blocks
from app.store.turn_text import Where
from app.ui.seal import Seal
from app.ui.transcript import actions, figures, waiting
from app.ui.transcript.code_choices import CodeChoices
from app.ui.transcript.column import Column
from app.ui.transcript.ending_place import EndingPlace
from app.ui.transcript.figures import FiguresRow, compact
from app.ui.transcript.live import Live
from app.ui.transcript.long_texts import LONG
from app.ui.transcript.paper import READING, SEAL, SEAL_LEFT, Measure, Paper
from app.ui.transcript.reply_height import ACTIONS_GAP, BELOW, text_height
from app.ui.transcript.search import Marking
from app.ui.transcript.thought import Thought
from app.ui.transcript.turn_widget import TurnWidget
from app.ui.transcript.waiting import WaitingPlace

_APART = 10  # px between the parts


class ReplyTurn(TurnWidget):
    """One reply."""

    def __init__(
        self,
        paper: Paper,
        turn: Turn,
        live: Live | None,
        parent: QWidget,
        choices: CodeChoices,
    ) -> None:
        super().__init__(paper, turn, Column(paper, READING, parent), parent)
        self.column.choices = choices
        self._live = live
        self._newest = self._waits = self._is_reading = False  # reading a long text, beside
        self._marking = Marking()
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(0)
        self._settling.timeout.connect(self.height_changed)
        paper.texts.was_read.connect(self._on_long_text_read)
        self._shown: tuple[str, str] | None = None  # the finished text that the column shows
        self._seal = Seal(paper.look.theme, SEAL)
        self._seal.setParent(self)
        self._thought: Thought | None = None
        self._waiting = WaitingPlace(paper, self)
        self._endings = EndingPlace(paper, self)
        self._figures: FiguresRow | None = None
        self.show_turn(turn)

    @property
    def is_reply(self) -> bool:
        """Say that the model wrote it."""
        return True

    # --- what is shown ------------------------------------------------------------------------

    def show_turn(self, turn: Turn) -> None:
        """Show another state of the reply; what did not change keeps its widgets."""
        self.turn = turn
        if turn.state is TurnState.STREAMING and self._live is not None:
            self._endings.show_turn(turn)
            self.follow()
        else:
            self._show_finished(turn)
        self._show_actions()
        self.setAccessibleName(self.name())

    def follow(self) -> None:
        """Show what the growing reply has become."""
        live = self._live
        if live is None:
            return
        self._shown = None
        self.column.choices.is_growing = True
        first = live.answer.update()
        shown = [*live.answer.blocks, *call_blocks(live.calls)]
        self.column.set_blocks(shown, min(first, len(self.column.blocks)))
        self.column.set_caret(bool(live.answer.blocks))
        if live.thought.has_text:
            self._need_thought().show_live(live)
        self._waiting.need(live.is_empty or (self._waits and not live.has_come))

    def set_live(self, live: Live | None) -> None:
        """Follow another growing text, or none."""
        self._live = live

    def show_files(self, names: Sequence[str]) -> None:
        """Name the files that go with the question; the reply waits until they are read."""
        self._waiting.show_files(names)

    def show_activity(self, activity: Activity) -> None:
        """Say what the reply waits for."""
        self._waiting.show_activity(activity)
        self._wait(activity in (Activity.WAITING_FOR_MODEL, Activity.READING))

    def show_prefill(self, done: int, total: int, reused: int) -> None:
        """Show how much of the prompt has been read."""
        self._wait(True)
        self._waiting.show_prefill(done, total, reused)

    def _wait(self, waits: bool) -> None:
        if waits != self._waits:
            self._waits = waits
            self.follow()
            self.height_changed.emit()

    def set_newest(self, newest: bool) -> bool:
        """The newest reply shows its actions and all its figures; True if it has to be laid out."""
        if newest == self._newest:
            return False
        self._newest = newest
        self._show_actions()
        return True

    def restyle(self) -> None:
        """The theme or the language has changed."""
        self.column.restyle()
        if self._thought is not None:
            self._thought.restyle()
        self._waiting.restyle()
        self.show_turn(self.turn)

    def _show_finished(self, turn: Turn) -> None:
        self._waiting.need(False)
        self.column.set_caret(False)
        if self._shown != (turn.content, turn.tool_calls):
            blocks = self._final_blocks(turn)
            self.column.choices.is_growing = self._live is not None
            self._is_reading = blocks is None
            if blocks is not None:
                self._set_changed(blocks)
        self._live = None
        if turn.reasoning.strip():
            self._need_thought().show_turn(turn)
            if not turn.content.strip() and not turn.tool_calls:
                self._need_thought().open()
        elif self._thought is not None:
            self._thought.hide()
            self._thought.deleteLater()
            self._thought = None
        self._endings.show_turn(turn)

    def read_now(self) -> bool:
        """Read a long text at once, because a place in it is wanted; False: it was read already."""
        was_reading, self._is_reading = self._is_reading, False
        if was_reading:
            self._set_changed(self.paper.reader.read(self.turn.content))
            self.height_changed.emit()
        return was_reading

    @Slot()
    def _on_long_text_read(self) -> None:
        if self._is_reading:
            self._show_finished(self.turn)
            self._settling.start()  # what can be seen is made in the event loop's next turn

    def _final_blocks(self, turn: Turn) -> list[Block] | None:
        """Return the blocks of the finished text: those of the growing one, if that is the same.

        None for a long text that is being read: until it is, its place is kept.
        """
        if self._live is not None:
            self._live.catch_up()
        if self._live is not None and self._live.answer.text == turn.content:
            self._live.answer.finish()
            return self._live.answer.blocks
        if len(turn.content) >= LONG:
            return self.paper.texts.blocks(turn.content)
        return self.paper.reader.read(turn.content)

    def _set_changed(self, of_text: list[Block]) -> None:
        """Set the blocks, beginning with the first that differs from what is shown."""
        blocks, shown = [*of_text, *call_blocks(self.turn.tool_calls)], self.column.blocks
        self._shown = self.turn.content, self.turn.tool_calls
        pairs = zip(shown, blocks, strict=False)
        first = next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(shown), len(blocks)))
        self.column.set_blocks(blocks, first)

    def _show_actions(self) -> None:
        turn, finished = self.turn, self.turn.state is not TurnState.STREAMING
        full = self._newest and finished and turn.figures is not None
        if full and self._figures is None:
            self._figures = FiguresRow(self.paper, self)
        elif not full and self._figures is not None:
            self._figures.hide()
            self._figures.deleteLater()
            self._figures = None
        if self._figures is not None and turn.figures is not None:
            self._figures.show_figures(turn.figures)
        short = "" if full else compact(turn.figures, turn.model, self.paper.look.language)
        self.actions_row.show_turn(turn, compact_figures=short)
        self.actions_row.set_always(self._newest and finished)

    def _need_thought(self) -> Thought:
        if self._thought is None:
            self._thought = Thought(self.paper, self)
            self._thought.height_changed.connect(self.height_changed)
            self._mark_thought()
        return self._thought

    def mark(self, marking: Marking) -> None:
        """Mark words in the thought, too."""
        super().mark(marking)
        self._marking = marking
        self._mark_thought()

    def open_thought(self) -> Column:
        """Open what the model thought and return the column of its blocks."""
        thought = self._need_thought()
        thought.open()
        return thought.text

    def _mark_thought(self) -> None:
        if self._thought is not None:
            place = self._marking.place(self.turn.id, Where.THOUGHT)
            self._thought.text.mark(self._marking.words, *place)

    # --- where it stands ----------------------------------------------------------------------

    def lay_out(self, measure: Measure) -> int:
        """Lay the parts out from top to bottom."""
        self.measure = measure
        self._seal.setVisible(measure.seal)
        self._seal.move(measure.left - SEAL_LEFT, 2)
        y, bar = 0, self._waiting.widget
        if self._thought is not None:
            y = self._put(self._thought, y, self._thought.fit(measure.width)) + _APART
        if bar is not None and not self.column.blocks:
            y = self._put(bar, y, waiting.HEIGHT) + _APART
        y = self._lay_out_text(y)
        if bar is not None and self.column.blocks:
            y = self._put(bar, y + _APART, waiting.HEIGHT)
        for notice in self._endings.notices():
            y = self._put(notice, y + (_APART if y else 0), notice.fit(measure.width))
        row = QRect(measure.left, y + ACTIONS_GAP, measure.width, actions.HEIGHT)
        self.actions_row.setGeometry(row.adjusted(-actions.INSET, 0, 0, 0))
        y = row.top() + row.height()
        self.actions_row.setVisible(self.edit_box is None)
        if self._figures is not None:
            y = self._put(self._figures, y, figures.HEIGHT)
        return y + BELOW

    def _lay_out_text(self, y: int) -> int:
        """Place the text, or the box in which it is edited, and return where it ends."""
        self.column.setVisible(self.edit_box is None)
        if self.edit_box is not None:
            return self._put(self.edit_box, y, self.edit_box.fit(self.measure.width))
        self.column.set_width(self.measure.width)
        self.column.move(self.measure.left, y)
        if self._is_reading and not self.column.blocks:
            return y + text_height(self.turn, self.measure, self.paper.typeset.line(READING))
        return y + self.column.full_height()

    def _put(self, part: QWidget, y: int, tall: int) -> int:
        part.setGeometry(self.measure.left, y, self.measure.width, tall)
        part.show()
        return y + tall

    def set_band(self, top: int, bottom: int) -> None:
        """Keep alive what can be seen."""
        super().set_band(top, bottom)
        if self._thought is not None:
            self._thought.set_band(top - self._thought.y(), bottom - self._thought.y())

    def text_height(self) -> int:
        """Return the height of the answer's blocks and of the open thought's."""
        thought = self._thought
        opened = thought.text.full_height() if thought is not None and thought.is_open else 0
        return super().text_height() + opened

    def refresh_formulas(self) -> bool:
        """Show formulas that have been drawn, in the thought too."""
        thought = self._thought
        in_thought = thought is not None and thought.is_open and thought.text.refresh_formulas()
        return super().refresh_formulas() or in_thought

    def plain_text(self) -> str:
        """Return the reply without marks of Markdown."""
        self.read_now()
        return joined_texts(self.column.blocks)

    def name(self) -> str:
        """Return what a screen reader calls the reply."""
        text = self.paper.look.language.text
        if self.turn.state is TurnState.STREAMING:
            return text("transcript-reply-writing")
        return text("transcript-reply", model=self.turn.model or text("transcript-the-model"))
