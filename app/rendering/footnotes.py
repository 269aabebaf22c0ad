"""Footnotes: ``[^1]`` in the text, ``[^1]: what it says`` at the left edge.

A mark is a footnote only where a note with its label exists; ``[^abc]`` alone stays as it is, since
regular expressions look the same.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline.state_inline import StateInline

_NOTE = re.compile(r"\[\^([^\s\]]{1,40})\]:[ \t]*")
_MARK = re.compile(r"\[\^([^\s\]]{1,40})\]")
_INDENT = 4  # columns of what belongs to a note after its first paragraph


def note_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: a note, and the indented blocks that belong to it."""
    if state.is_code_block(start) or state.blkIndent or state.level:
        return False
    first = state.bMarks[start] + state.tShift[start]
    found = _NOTE.match(state.src, first, state.eMarks[start])
    if found is None:
        return False
    if silent:
        return True
    label = found[1]
    state.env.setdefault("notes", {}).setdefault(label, start)
    token = state.push("note_open", "", 1)
    token.info = label
    token.map = lines = [start, 0]
    _read_inside(state, start, end, found.end())
    lines[1] = state.line
    state.push("note_close", "", -1)
    return True


def _read_inside(state: StateBlock, start: int, end: int, content: int) -> None:
    """Read the blocks of a note as those of a list item: by their indent."""
    kept = state.bMarks[start], state.tShift[start], state.sCount[start], state.parentType
    state.bMarks[start], state.tShift[start] = content, 0
    state.sCount[start] = _INDENT
    state.blkIndent = _INDENT
    state.parentType = "reference"
    state.md.block.tokenize(state, start, end)
    state.blkIndent = 0
    state.bMarks[start], state.tShift[start], state.sCount[start], state.parentType = kept


def mark_rule(state: StateInline, silent: bool) -> bool:
    """Inline rule: the raised number of a note that exists."""
    found = _MARK.match(state.src, state.pos, state.posMax)
    if found is None or found[1] not in state.env.get("notes", {}):
        return False
    if not silent:
        token = state.push("note_mark", "", 0)
        token.content = found[1]
    state.pos = found.end()
    return True
