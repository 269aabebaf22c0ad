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
from engine.text.tool_calls import PYTHON_TAG, ToolForm, bare_forms, call_line

Delta = tuple[Channel, str]


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """What marks a model uses, as its template and vocabulary show.

    Attributes:
        own_tags: the reasoning tags that are the model's own; others count only at the beginning.
        tools: the forms of its tool calls.
        harmony: whether replies are written in gpt-oss's channels.
        is_told: whether its calls are in the form that it is told in words, without marks.
    """

    own_tags: tuple[Tags, ...] = ()
    tools: tuple[ToolForm, ...] = ()
    harmony: bool = False
    is_told: bool = False

    @property
    def writes_bare_calls(self) -> bool:
        """Whether calls may come without a mark: it is told so, or has no marks, or Llama's."""
        return self.is_told or not self.tools or PYTHON_TAG in self.tools

    @property
    def reasoning(self) -> Tags:
        """The tags that the model reasons in."""
        return (*self.own_tags, REASONING_TAGS[0])[0]


class Channels:
    """Splits a reply's text by its marks.

    Args:
        form: the model's marks.
        opens: the tags that the prompt has opened, so that the reply begins inside them.
        trims: whether white space at the beginning is dropped.
        tools: names of the tools that were offered; calls without marks are looked for only then.
    """

    def __init__(
        self,
        form: ReplyForm,
        *,
        opens: Tags | None = None,
        trims: bool = False,
        tools: Sequence[str] = (),
    ) -> None:
        self._form = form
        self._inside: Tags | None = opens
        self._call: ToolForm | None = None
        self._held = ""  # text whose channel is not decided
        self._searched = 0  # characters of a call's text that hold no closing mark
        self._space = ""  # white space that is shown only if text follows
        self._trims = trims or opens is not None  # white space is dropped until text comes
        self._line = LineState()
        forms = (*form.tools, *(bare_forms(tools) if form.writes_bare_calls else ()))
        self._tool_opens = {form.open: form for form in forms}
        self._reasoning_opens = {tag.open: tag for tag in REASONING_TAGS}
        closes = dict.fromkeys(tag.close for tag in (*form.own_tags, REASONING_TAGS[0]))
        self._closes = tuple(closes)
        self._marks = (*self._tool_opens, *self._reasoning_opens, *self._closes)
        self._signs = frozenset(mark[0] for mark in self._marks)

    @property
    def reasoning(self) -> Tags | None:
        """The tags that the text is inside of now."""
        return self._inside

    def push(self, text: str, *, control: bool = False) -> list[Delta]:
        """The deltas that are certain now; a control token counts only as (part of) a mark."""
        if control and self._inside is not None and text in self._tool_opens:
            return self._break_off(self._tool_opens[text])
        if control and not self._is_part_of_mark(text):
            return []
        self._held += text
        return self._advance(final=False)

    def finish(self) -> list[Delta]:
        """What was held back, now that nothing follows."""
        deltas = self._advance(final=True)
        if self._call is not None:
            deltas += self._end_call(self._call, len(self._held), 0)
            deltas += self._advance(final=True)
        if self._space and self._inside is None and self._line.fresh:
            deltas.append((Channel.ANSWER, self._space))  # a reply of nothing but white space
        return deltas

    def _break_off(self, form: ToolForm) -> list[Delta]:
        """A call's own token inside reasoning: the model forgot to close it."""
        deltas = self._advance(final=True)
        self._inside, self._call = None, form
        return deltas

    def _is_part_of_mark(self, text: str) -> bool:
        if self._call is not None:
            return True  # marks inside a call are read with it
        inside = self._inside.close if self._inside is not None else ""
        return any(text in mark for mark in (*self._marks, inside))

    def _advance(self, *, final: bool) -> list[Delta]:
        """Decide as much of the held text as can be decided."""
        deltas: list[Delta] = []
        while self._held:
            before = len(self._held), self._inside, self._call
            if self._call is not None:
                deltas += self._read_call(self._call)
            elif self._inside is not None:
                deltas += self._read_reasoning(self._inside, final=final)
            else:
                deltas += self._read_answer(final=final)
            if before == (len(self._held), self._inside, self._call):
                break
        return _joined(deltas)

    def _read_call(self, form: ToolForm) -> list[Delta]:
        """End a tool call whose closing mark has arrived."""
        end = self._held.find(form.close, self._searched) if form.close else -1
        if end >= 0:
            return self._end_call(form, end, len(form.close))
        self._searched = max(0, len(self._held) - len(form.close) + 1)
        return [] if form.could_be(self._held) else self._take_back(form)

    def _take_back(self, form: ToolForm) -> list[Delta]:
        """What looked like the beginning of a call is text."""
        self._call, self._searched = None, 0
        return self._show(Channel.ANSWER, form.open)

    def _end_call(self, form: ToolForm, end: int, mark: int) -> list[Delta]:
        """Read the call in ``held[:end]``; give it back as text where it is none."""
        self._call, self._searched = None, 0
        body, self._held = self._held[:end], self._held[end + mark :]
        calls = form.read(body)
        if not calls:
            shown = form.open + body + form.close[:mark]
            return self._show(Channel.ANSWER, shown)
        self._begin_answer()
        deltas = [(Channel.TOOL_CALL, call_line(call)) for call in calls]
        return deltas + self._show(Channel.ANSWER, form.words_beside(body))

    def _read_reasoning(self, tags: Tags, *, final: bool) -> list[Delta]:
        """Reasoning up to its closing mark, or as much as is certain."""
        start = self._held.find(tags.close[0])
        if start != 0:
            return self._take(Channel.REASONING, len(self._held) if start < 0 else start)
        # a model may open again what its template has opened already
        marks = (tags.close, tags.open) if self._trims else (tags.close,)
        match, mark, length = match_mark(self._held, marks)
        if match is Match.PARTIAL and not final:
            return []
        if match is not Match.WHOLE:
            return self._take(Channel.REASONING, 1)
        self._held = self._held[length:]
        if mark == tags.close:
            self._inside = None
            self._begin_answer()
        return []

    def _begin_answer(self) -> None:
        """After reasoning or a call the answer begins afresh, without leading white space."""
        self._trims, self._space = True, ""
        self._line = LineState()

    def _read_answer(self, *, final: bool) -> list[Delta]:
        """Answer text up to a mark, or as much as is certain."""
        start = next((place for place, sign in enumerate(self._held) if sign in self._signs), -1)
        if start != 0:
            return self._take(Channel.ANSWER, len(self._held) if start < 0 else start)
        match, mark, length = match_mark(self._held, self._marks_here())
        if match is Match.PARTIAL and not final:
            return []
        if match is not Match.WHOLE:
            return self._take(Channel.ANSWER, 1)
        self._held = self._held[length:]
        self._enter(mark)
        return []

    def _marks_here(self) -> Sequence[str]:
        """The marks that count at this place of the answer."""
        line = self._line
        if line.in_code:
            return ()
        marks = list(self._closes)
        if line.fresh:
            marks += self._reasoning_opens
        elif line.blank:
            marks += (tag.open for tag in self._form.own_tags)
        marks += (mark for mark, form in self._tool_opens.items() if _counts(form, line))
        return marks

    def _enter(self, mark: str) -> None:
        """Go where ``mark`` leads; a closing mark without an opening one is only a break."""
        if mark in self._tool_opens:
            self._call = self._tool_opens[mark]
        elif mark in self._reasoning_opens:
            self._inside, self._trims, self._space = self._reasoning_opens[mark], True, ""
        else:
            self._trims, self._space = True, "" if self._line.fresh else "\n\n"

    def _take(self, channel: Channel, length: int) -> list[Delta]:
        text, self._held = self._held[:length], self._held[length:]
        return self._show(channel, text)

    def _show(self, channel: Channel, text: str) -> list[Delta]:
        """Deltas for ``text``; white space waits until it is known what follows."""
        if self._trims:
            text = text.lstrip()
            self._trims = not text
        waits = channel is Channel.REASONING or self._line.fresh
        body = text.rstrip() if waits else text
        if channel is Channel.ANSWER:
            self._line.add(text)
            body = text if body else ""
        shown = self._space + body if body else ""
        self._space = text[len(body) :] if body else self._space + text
        return [(channel, shown)] if shown else []


def _counts(form: ToolForm, line: LineState) -> bool:
    """Whether a tool form's mark counts here; one that nobody writes by hand does inside a line."""
    if form.bare:
        return line.fresh
    return line.blank or form.open[:2] in {"[T", "<|", "<｜"}


def _joined(deltas: list[Delta]) -> list[Delta]:
    """Neighbouring deltas of one channel made one; lines of tool calls stay apart."""
    joined: list[Delta] = []
    for channel, text in deltas:
        if joined and joined[-1][0] is channel and channel is not Channel.TOOL_CALL:
            joined[-1] = (channel, joined[-1][1] + text)
        else:
            joined.append((channel, text))
    return joined
