"""Reasoning, answer and tool calls told apart while a reply streams: its third ring.

What could be half a mark is held back; what turns out to be none is let go. A mark that is only
mentioned (inside a line, in code) is text. Nothing is ever swallowed: reasoning that never ends is
shown as reasoning, a call that cannot be read as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.contract import Channel
from engine.text.line_state import LineState
from engine.text.marks import REASONING_TAGS, Match, Tags, match_mark
from engine.text.tool_calls import ToolForm, call_line

Delta = tuple[Channel, str]


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """What marks a model uses, as its template and vocabulary show.

    Attributes:
        own_tags: the reasoning tags that are the model's own; others count only at the beginning.
        tools: the forms of its tool calls.
        harmony: whether replies are written in gpt-oss's channels.
    """

    own_tags: tuple[Tags, ...] = ()
    tools: tuple[ToolForm, ...] = ()
    harmony: bool = False

    @property
    def reasoning(self) -> Tags:
        """The tags that the model reasons in."""
        return (*self.own_tags, REASONING_TAGS[0])[0]


class Channels:
    """Splits a reply's text by its marks.

    Args:
        form: the model's marks.
        opens: the tags that the prompt has opened, so that the reply begins inside them.
    """

    def __init__(self, form: ReplyForm, *, opens: Tags | None = None) -> None:
        self._form = form
        self._inside: Tags | None = opens
        self._call: ToolForm | None = None
        self._held = ""  # text whose channel is not decided
        self._space = ""  # white space that is shown only if text follows
        self._trims = opens is not None  # white space at the beginning is dropped
        self._line = LineState()
        self._own_closes = tuple({tag.close: 0 for tag in (*form.own_tags, REASONING_TAGS[0])})
        opens_all = [tag.open for tag in REASONING_TAGS]
        tools = [form.open for form in form.tools]
        self._signs = frozenset(mark[0] for mark in (*opens_all, *self._own_closes, *tools))
        self._marks = (*opens_all, *tools, *self._own_closes)

    @property
    def reasoning(self) -> Tags | None:
        """The tags that the text is inside of now."""
        return self._inside

    def push(self, text: str, *, control: bool = False) -> list[Delta]:
        """The deltas that are certain now; a control token counts only as (part of) a mark."""
        if control and not self._is_part_of_mark(text):
            return []
        self._held += text
        return self._advance(final=False)

    def finish(self) -> list[Delta]:
        """What was held back, now that nothing follows."""
        deltas = self._advance(final=True)
        if self._call is not None:
            deltas += self._end_call(len(self._held), 0)
            deltas += self._advance(final=True)
        return deltas

    def _is_part_of_mark(self, text: str) -> bool:
        close = self._call.close if self._call is not None else ""
        inside = self._inside.close if self._inside is not None else ""
        if self._call is not None and text != close:
            return True  # marks inside a call are read with it
        marks = (*self._marks, close, inside)
        return any(text in mark for mark in marks if mark)

    def _advance(self, *, final: bool) -> list[Delta]:
        """Decide as much of the held text as can be decided."""
        deltas: list[Delta] = []
        while self._held:
            before = len(self._held), self._inside, self._call
            if self._call is not None:
                deltas += self._read_call()
            elif self._inside is not None:
                deltas += self._read_reasoning(final=final)
            else:
                deltas += self._read_answer(final=final)
            if before == (len(self._held), self._inside, self._call):
                break
        return _joined(deltas)

    def _read_call(self) -> list[Delta]:
        """End a tool call whose closing mark has arrived."""
        assert self._call is not None
        end = self._held.find(self._call.close) if self._call.close else -1
        return self._end_call(end, len(self._call.close)) if end >= 0 else []

    def _end_call(self, end: int, mark: int) -> list[Delta]:
        """Read the call in ``held[:end]``; give it back as text where it is none."""
        assert self._call is not None
        form, self._call = self._call, None
        body, self._held = self._held[:end], self._held[end + mark :]
        calls = form.read(body)
        if not calls:
            closing = form.close if mark else ""
            return self._show(Channel.ANSWER, form.open + body + closing)
        self._trims, self._space = True, ""
        self._line = LineState()
        return [(Channel.TOOL_CALL, call_line(call)) for call in calls]

    def _read_reasoning(self, *, final: bool) -> list[Delta]:
        """Reasoning up to its closing mark, or as much as is certain."""
        assert self._inside is not None
        close = self._inside.close
        start = self._held.find(close[0])
        if start < 0:
            return self._take(Channel.REASONING, len(self._held))
        if start > 0:
            return self._take(Channel.REASONING, start)
        match, _, length = match_mark(self._held, (close,))
        if match is Match.WHOLE:
            self._held = self._held[length:]
            self._inside, self._trims, self._space = None, True, ""
            self._line = LineState()
            return []
        if match is Match.PARTIAL and not final:
            return []
        return self._take(Channel.REASONING, 1)

    def _read_answer(self, *, final: bool) -> list[Delta]:
        """Answer text up to a mark, or as much as is certain."""
        start = next((place for place, sign in enumerate(self._held) if sign in self._signs), -1)
        if start < 0:
            return self._take(Channel.ANSWER, len(self._held))
        if start > 0:
            return self._take(Channel.ANSWER, start)
        match, mark, length = match_mark(self._held, self._marks_here())
        if match is Match.WHOLE:
            self._held = self._held[length:]
            return self._enter(mark)
        if match is Match.PARTIAL and not final:
            return []
        return self._take(Channel.ANSWER, 1)

    def _marks_here(self) -> Sequence[str]:
        """The marks that count at this place of the answer."""
        line = self._line
        if line.in_code:
            return ()
        marks: list[str] = list(self._own_closes)
        if line.fresh:
            marks += (tag.open for tag in REASONING_TAGS)
        elif line.blank:
            marks += (tag.open for tag in self._form.own_tags)
        for form in self._form.tools:
            if line.blank or form.open[:2] in {"[T", "<|", "<｜"}:
                marks.append(form.open)
        return marks

    def _enter(self, mark: str) -> list[Delta]:
        """Go where ``mark`` leads; a closing mark without an opening one is only a break."""
        for form in self._form.tools:
            if form.open == mark:
                self._call = form
                return []
        for tag in REASONING_TAGS:
            if tag.open == mark:
                self._inside, self._trims, self._space = tag, True, ""
                return []
        self._space = "" if self._line.fresh else "\n\n"
        self._trims = self._line.fresh
        return []

    def _take(self, channel: Channel, length: int) -> list[Delta]:
        text, self._held = self._held[:length], self._held[length:]
        return self._show(channel, text)

    def _show(self, channel: Channel, text: str) -> list[Delta]:
        """Deltas for ``text``; white space waits until it is known what follows."""
        if self._trims:
            text = text.lstrip()
            self._trims = not text
        body = text.rstrip() if channel is Channel.REASONING or self._line.fresh else text
        if channel is Channel.ANSWER:
            self._line.add(text)
            body = text if body else body
        shown = self._space + body if body else ""
        self._space = text[len(body) :] if body else self._space + text
        return [(channel, shown)] if shown else []


def _joined(deltas: list[Delta]) -> list[Delta]:
    """Neighbouring deltas of one channel made one; lines of tool calls stay apart."""
    joined: list[Delta] = []
    for channel, text in deltas:
        if joined and joined[-1][0] is channel and channel is not Channel.TOOL_CALL:
            joined[-1] = (channel, joined[-1][1] + text)
        else:
            joined.append((channel, text))
    return joined
