"""Fenced code, with Markdown inside Markdown.

A model that is asked for a README writes a ``markdown`` fence and, inside it, further fences of the
same length. CommonMark ends the outer block at the first of them and everything after is torn
apart. Here, inside a ``markdown`` fence, a fence with a language opens an inner block; a bare fence
opens one too when text follows it directly and closing the outer block there would leave the rest
of the message unbalanced. Every other fence is read as CommonMark says.
"""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it.rules_block import StateBlock

_NESTING = {"markdown", "md"}


@dataclass(frozen=True, slots=True)
class Fence:
    """An opening fence: its character, length and what stands behind it."""

    marker: str
    length: int
    info: str

    @property
    def language(self) -> str:
        """The first word of the info string."""
        return self.info.split(maxsplit=1)[0] if self.info.strip() else ""

    @property
    def nests(self) -> bool:
        """Whether fences inside may belong to inner blocks."""
        return self.language.lower() in _NESTING


@dataclass(frozen=True, slots=True)
class Mark:
    """A line inside a fenced block that looks like a fence itself."""

    line: int
    bare: bool
    followed: bool  # by text on the next line


def opening(line: str) -> Fence | None:
    """Return the fence that a line, without its indent, opens."""
    marker = line[:1]
    if marker not in {"`", "~"} or not line.startswith(marker * 3):
        return None
    length = len(line) - len(line.lstrip(marker))
    info = line[length:]
    if marker == "`" and "`" in info:
        return None
    return Fence(marker, length, info.strip())


def closes(line: str, fence: Fence) -> bool:
    """Tell whether a line, without its indent, closes a fence."""
    length = len(line) - len(line.lstrip(fence.marker))
    return length >= fence.length and not line[length:].strip()


def fence_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: a fenced block of code."""
    if state.is_code_block(start):
        return False
    fence = opening(_line(state, start))
    if fence is None:
        return False
    if silent:
        return True
    last = _closing(state, fence, start, end)
    closed = last < end and _is_inside(state, last)
    state.line = last + 1 if closed else last
    token = state.push("fence", "code", 0)
    token.info = fence.info
    token.content = state.getLines(start + 1, last, state.sCount[start], True)
    token.map = [start, state.line]
    token.meta = {"closed": closed}
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _is_inside(state: StateBlock, line: int) -> bool:
    """Tell whether a line still belongs to the container of the block."""
    return state.sCount[line] >= state.blkIndent or state.isEmpty(line)


def _closing(state: StateBlock, fence: Fence, start: int, end: int) -> int:
    """Return the line that closes the block, or the first that is not part of it any more."""
    if not fence.nests:
        return _plain_closing(state, fence, start, end)
    streaming = bool(state.env.get("streaming"))
    marks, edge = _inner_marks(state, fence, start, end)
    closing = nested_closing(marks, streaming=streaming)
    if closing is None and streaming:
        return edge
    return _plain_closing(state, fence, start, end) if closing is None else closing


def _plain_closing(state: StateBlock, fence: Fence, start: int, end: int) -> int:
    for line in range(start + 1, end):
        if not _is_inside(state, line):
            return line
        if not state.is_code_block(line) and closes(_line(state, line), fence):
            return line
    return end


def _inner_marks(state: StateBlock, fence: Fence, start: int, end: int) -> tuple[list[Mark], int]:
    """Return the fences of the same length inside a block, and the first line after it."""
    marks: list[Mark] = []
    for line in range(start + 1, end):
        if not _is_inside(state, line):
            return marks, line
        found = None if state.is_code_block(line) else opening(_line(state, line))
        if found and (found.marker, found.length) == (fence.marker, fence.length):
            followed = line + 1 < end and not state.isEmpty(line + 1)
            marks.append(Mark(line, not found.info, followed))
    return marks, end


def nested_closing(marks: list[Mark], *, streaming: bool) -> int | None:
    """Return the line that closes a Markdown block, None where nothing does.

    While a text streams, what follows is not known: a bare fence with text right behind it is then
    taken to open an inner block, since a closing fence is nearly always followed by a blank line.
    """
    balanced = _balanced_after(marks)
    inner = False
    for index, mark in enumerate(marks):
        if not mark.bare or inner:
            inner = not mark.bare
        elif mark.followed and (streaming or not balanced[index + 1]):
            inner = True
        else:
            return mark.line
    return None


def _balanced_after(marks: list[Mark]) -> list[bool]:
    """Tell for every place whether the fences from there on pair up by CommonMark's rules."""
    outside, inside = [True], [False]
    for mark in reversed(marks):
        outside.append(inside[-1])
        inside.append(outside[-2] if mark.bare else inside[-1])
    return outside[::-1]
