"""Both answers to one question, the field that asks it, and the switch that hides who is who."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from app.chat.comparing import SIDES, UNTOLD, AskPhase, AskState, Said
from app.ui.buttons import Button
from app.ui.form_controls import Switch
from app.ui.look import Look
from app.ui.smaller.answer import Column
from app.ui.smaller.asking_words import broken_words, ended_words, how_far, share_of, stage_words
from app.ui.smaller.differences import compared, marks
from app.ui.smaller.question_field import QuestionField
from app.ui.words import Plain, Words, in_a_row, wrapped
from engine.library.copy_facts import REPLY_TOKENS, REPORT_TOKENS

_STEPS = 1000
_TOP = Qt.AlignmentFlag.AlignTop
_ROW, _COLUMN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
Names = Mapping[str, str]


class SideBySide(QWidget):
    """What a report's question brought, or one's own.

    Args:
        look: theme and language.
        coin: decides which of the two is A.
    """

    ask_requested = Signal(str, int)  # the question, tokens that an answer may have
    save_requested = Signal(str, str)  # code of an answer, proposed name of a file
    stop_requested = Signal()

    def __init__(self, look: Look, coin: Callable[[], bool] | None = None) -> None:
        super().__init__()
        self._look = look
        self._coin = coin or (lambda: random.random() < 0.5)
        self._names: Names = dict.fromkeys(SIDES, "")
        self._state = AskState()
        self._gone = ""  # where the source was, if it is not there any more
        self._swapped = False
        self._about = Plain("", "caption2")
        self.field, self.ask = QuestionField(look), Button(look, "smaller-ask-both")
        self._bar, self._stage = QProgressBar(), wrapped(Plain("", "caption2"))
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._wrong = wrapped(Plain("", "caption-warning"))
        self._missing = wrapped(Plain("", "caption2"))
        self.columns = (Column(look), Column(look))
        self.go_on = Button(look, "smaller-resume", icon="play")
        self.hide_names = Switch(look, "smaller-hide")
        self._same = Plain("", "caption2")
        self._lay_out()
        self.field.asked.connect(self._on_asked)
        self.field.edited.connect(self._on_edited)
        self.ask.clicked.connect(self._on_clicked)
        self.go_on.clicked.connect(self._on_go_on)
        self.hide_names.toggled.connect(self._on_hidden)
        for one in self.columns:
            one.answer.save_requested.connect(self.save_requested)
        look.follow(self._on_look_changed)

    def show_report(self, report: Mapping[str, Any], names: Names, gone: str = "") -> None:
        """Show what a report's question brought.

        Args:
            report: as ``python -m engine evaluate`` tells it.
            names: of both, by side.
            gone: where the source was, if it is not there any more.
        """
        said = tuple((side, _reported(report.get(side, {}))) for side in SIDES)
        differs = report.get("first_difference")
        self._names, self._gone = names, gone
        self._state = AskState(
            AskPhase.DONE, question=str(report.get("question", "")), said=said,
            first_difference=differs if isinstance(differs, int) else None, most=REPORT_TOKENS,
        )  # fmt: skip
        self.field.say(self._state.question)
        self._mix()
        self._show()

    def show_state(self, state: AskState) -> None:
        """Show how far one's own question is."""
        begins = state.phase is AskPhase.ASKING and self._state.phase is not AskPhase.ASKING
        goes_on = state.most > self._state.most and state.question == self._state.question
        self._state = state
        if begins and not goes_on:
            self._mix()
        self._show()

    def place(self, *, wide: bool) -> None:
        """Put the answers beside each other, or one below the other."""
        for number, column in enumerate(self.columns):
            self._both.addWidget(column, *((0, number) if wide else (number, 0)))
        self._both.setColumnStretch(0, 1)
        self._both.setColumnStretch(1, 1 if wide else 0)
        self._head.setDirection(_ROW if wide else _COLUMN)
        self._foot.setDirection(_ROW if wide else _COLUMN)

    @property
    def outcome(self) -> str:
        """What came of the question, in words, for screen readers."""
        return in_a_row(self._about.text(), self._same.text())

    # --- construction -------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self._head, self._foot, self._both = QHBoxLayout(), QHBoxLayout(), QGridLayout()
        ask, switch, further = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        self._head.addWidget(Words(self._look, "smaller-side-by-side", "body-bold"), 1)
        self._head.addWidget(self._about)
        ask.setSpacing(8)
        ask.addWidget(self.field, 1)
        ask.addWidget(self.ask, 0, _TOP)
        self._both.setHorizontalSpacing(20)
        self._both.setVerticalSpacing(12)
        further.addWidget(self.go_on)
        further.addStretch(1)
        switch.setSpacing(8)
        switch.addWidget(self.hide_names)
        switch.addWidget(Words(self._look, "smaller-hide", "small"))
        switch.addStretch(1)
        self._foot.addLayout(switch)
        self._foot.addWidget(self._same)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(self._head)
        column.addLayout(ask)
        for widget in (self._missing, self._bar, self._stage, self._wrong):
            column.addWidget(widget)
        column.addLayout(self._both)
        column.addLayout(further)
        column.addSpacing(4)
        column.addLayout(self._foot)
        column.addStretch(1)

    # --- what it shows ------------------------------------------------------------------------

    @property
    def _is_blind(self) -> bool:
        return self.hide_names.isChecked()

    def _mix(self) -> None:
        """Draw anew which of the two is A."""
        self._swapped = self._is_blind and self._coin()

    def _sides(self) -> tuple[str, str]:
        """Which side stands left, and which right."""
        return ("copy", "source") if self._swapped else ("source", "copy")

    @Slot()
    def _on_look_changed(self) -> None:
        self._show()

    def _show(self) -> None:
        language, state = self._look.language, self._state
        runs, is_blind = state.runs, self._is_blind
        is_compared = not runs and all(state.of(side).text for side in SIDES)
        waits = runs and is_blind  # who is faster, and who comes first, would tell
        for number, (side, column) in enumerate(zip(self._sides(), self.columns, strict=True)):
            said = state.of(side)
            self._show_head(column, side, "ab"[number], said)
            shown = "" if waits else said.text.strip()
            note, warns = self._note(side, said)
            column.answer.show_text(shown, is_whole=not runs)
            column.answer.setVisible(bool(shown) or not note)
            column.show_note(note, warns)
        self._about.setText(self._about_words(state, is_compared=is_compared))
        if is_compared:
            self._show_differences()
        self._same.setVisible(is_compared)
        self.go_on.setVisible(bool(state.further))
        self.go_on.say("smaller-go-on", tokens=language.number(state.further))
        self._show_work(state)

    def _show_differences(self) -> None:
        """Mark what can be read on one side alone, and count the words as they were written."""
        answers = dict(zip(self._sides(), (one.answer for one in self.columns), strict=True))
        read = {side: answers[side].words for side in SIDES}
        seen = compared(*(read[side] for side in SIDES))
        answers["source"].mark(marks(read["source"], seen.source))
        answers["copy"].mark(marks(read["copy"], seen.copy))
        both = compared(*(self._state.of(side).text for side in SIDES))
        said = {"same": both.same, "words": both.words}
        self._same.setText(self._look.language.text("smaller-words-same", **said))

    def _show_head(self, column: Column, side: str, letter: str, said: Said) -> None:
        language, is_blind = self._look.language, self._is_blind
        named = {"source": f"{language.text('smaller-original')} · {self._names['source']}"}
        name = named.get(side, self._names[side])
        speed = language.text("smaller-rate", speed=language.speed(said.speed))
        column.show_head(
            language.text(f"smaller-side-{letter}") if is_blind else name,
            language.text(f"smaller-answer-{letter if is_blind else side}"),
            "" if is_blind or not said.speed or self._state.runs else speed,
            "accent" if side == "copy" and not is_blind else "ink",
        )

    def _note(self, side: str, said: Said) -> tuple[str, bool]:
        """What stands below an answer, and whether it is a warning."""
        language, state = self._look.language, self._state
        if said.fault is not None:
            return broken_words(said.fault, language), True
        if state.runs:
            return "", False
        if side == "source" and state.source is None and not said.text and self._gone:
            return language.text("smaller-source-silent"), False
        if state.phase is AskPhase.STOPPED:
            return language.text("smaller-ask-stopped"), False
        return ended_words(said, language), False

    def _about_words(self, state: AskState, *, is_compared: bool) -> str:
        text, differs = self._look.language.text, state.first_difference
        about = text("smaller-without-chance")
        if not is_compared or differs is None:
            return about
        how = text("smaller-differs-at", token=differs) if differs else text("smaller-differs-not")
        return f"{about} · {how}"

    def _show_work(self, state: AskState) -> None:
        language, runs = self._look.language, state.runs
        if runs:
            self.ask.say("smaller-ask-stop", "stop-fill")
        else:
            asks = "smaller-ask-copy" if self._gone else "smaller-ask-both"
            self.ask.say(asks, "arrows-clockwise")
        self.ask.setEnabled(runs or bool(self.field.text))
        self._bar.setVisible(runs)
        self._bar.setValue(round(share_of(state) * _STEPS))
        self._stage.setVisible(runs)
        names = {} if self._is_blind else self._names
        self._stage.setText(in_a_row(stage_words(state, names, language), how_far(state, language)))
        self._bar.setAccessibleName(self._stage.text())
        self._wrong.setVisible(state.fault is not None)
        if state.fault is not None:
            killed = language.text("smaller-ask-killed")
            self._wrong.setText(killed if state.killed else broken_words(state.fault, language))
        self._missing.setVisible(bool(self._gone))
        self._missing.setText(language.text("smaller-source-gone", path=self._gone))
        self.hide_names.setEnabled(not self._gone)

    # --- what it is told ----------------------------------------------------------------------

    @Slot()
    def _on_edited(self) -> None:
        self.ask.setEnabled(self._state.runs or bool(self.field.text))

    @Slot()
    def _on_asked(self) -> None:
        if not self._state.runs and self.field.text:
            self.ask_requested.emit(self.field.text, REPLY_TOKENS)

    @Slot()
    def _on_go_on(self) -> None:
        """Ask what was asked once more, with a farther limit."""
        if self._state.further:
            self.ask_requested.emit(self._state.question, self._state.further)

    @Slot()
    def _on_clicked(self) -> None:
        if self._state.runs:
            self.stop_requested.emit()
        else:
            self._on_asked()

    @Slot()
    def _on_hidden(self) -> None:
        self._mix()
        self._show()


def _reported(one: Mapping[str, Any]) -> Said:
    """A side of a report; one that does not tell how it ended may have ended at its limit."""
    reply, most = str(one.get("reply", "")), REPORT_TOKENS
    ended = UNTOLD if len(reply.encode()) >= most else ""  # a token has a byte at least
    return Said(
        reply,
        float(one.get("tokens_per_second") or 0),
        int(one.get("tokens") or most),
        str(one.get("ended") or ended),
    )
