r"""Where a text is LaTeX: ``$x$``, ``\(x\)``, ``$$x$$``, ``\[x\]``, ``\begin{align}``; or money.

A single dollar opens a formula only if no space follows it and no letter or digit precedes it; it
must be closed by the very next dollar, with no space before and no letter or digit after that one
(pandoc's rule, made symmetric). What is left of prices then looks like prose, and prose is not set
as a formula.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline.state_inline import StateInline

_SINGLE = re.compile(r"\$(?![\s$])((?:[^$\\\n]|\\.)+)\$(?![0-9A-Za-z$])")
_DOUBLE = re.compile(r"\$\$(?!\$)((?:[^$\\]|\\[\s\S])+?)\$\$")
_TEX = re.compile(r"[\\^_={}<>]")
_WORD = re.compile(r"[A-Za-z]{2,}(?:\s|$)|\s[A-Za-z]{2,}")
_PAIRS = {"$$": "$$", "\\[": "\\]"}
_ENVIRONMENT = re.compile(
    r"\\begin\{((?:align(?:ed|at|edat)?|array|d?cases|eqnarray|equation|flalign|gather(?:ed)?"
    r"|multline|(?:small|[bBpvV])?matrix|split)\*?)\}"
)
_BLOCK_LINES = 200  # a formula on more lines than this is a forgotten dollar sign


def looks_like_prose(source: str) -> bool:
    """Tell whether the text between two dollars is words, not a formula."""
    return not _TEX.search(source) and _WORD.search(source) is not None


def dollars(state: StateInline, silent: bool) -> bool:
    """Inline rule at ``$``."""
    if state.src[state.pos] != "$":
        return False
    double = state.src.startswith("$$", state.pos)
    found = (_DOUBLE if double else _SINGLE).match(state.src, state.pos, state.posMax)
    if found is None or not found[1].strip() or (not double and not _is_formula(state, found[1])):
        return False
    _push(state, found[1], "$$" if double else "$", found.end(), silent=silent)
    return True


def _is_formula(state: StateInline, source: str) -> bool:
    before = state.src[state.pos - 1] if state.pos else " "
    if before.isascii() and (before.isalnum() or before == "$"):
        return False
    return not source[-1].isspace() and not looks_like_prose(source)


def brackets(state: StateInline, silent: bool) -> bool:
    r"""Inline rule at ``\(`` and ``\[``."""
    opener = state.src[state.pos : state.pos + 2]
    if opener not in {"\\(", "\\["}:
        return False
    closer = "\\)" if opener == "\\(" else "\\]"
    if state.html_terminator_last(closer) < state.pos:  # cached: no rescan for each opener
        return False
    end = state.src.find(closer, state.pos + 2, state.posMax)
    source = state.src[state.pos + 2 : end]
    if end < 0 or not source.strip():
        return False
    _push(state, source, opener, end + 2, silent=silent)
    return True


def _push(state: StateInline, source: str, opener: str, end: int, *, silent: bool) -> None:
    if not silent:
        token = state.push("formula", "", 0)
        token.content = source.strip()
        token.markup = opener
    state.pos = end


def closing_mark(opener: str) -> str:
    """Return the mark that closes a formula opened by ``opener``."""
    return {"\\(": "\\)", "\\[": "\\]"}.get(opener, opener)


def display_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    r"""Block rule: ``$$`` … ``$$`` or ``\[`` … ``\]`` on lines of their own, no blank line inside.

    While a text streams, an open formula counts as one: its lines must not flicker as a list or a
    heading on the way.
    """
    first = _line(state, start)
    opener = first[:2]
    if opener not in _PAIRS or state.is_code_block(start):
        return False
    last = _closing_line(state, first[2:], _PAIRS[opener], start, end)
    if last is None:
        growing = state.env.get("streaming") and _open_end(state, start, end) == end - 1
        if not growing or first[2:].strip():
            return False
    if not silent:
        _push_display(state, opener, start, end - 1 if last is None else last)
        state.tokens[-1].meta = {"closed": last is not None}
    return True


def environment_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    r"""Block rule: ``\begin{align}`` … ``\end{align}`` on lines of their own, without dollars."""
    found = _ENVIRONMENT.match(_line(state, start))
    if found is None or state.is_code_block(start):
        return False
    limit = _open_end(state, start, end)
    last = _line_of_end(state, found[1], start, limit)
    if last is None and not (state.env.get("streaming") and limit == end - 1):
        return False
    if not silent:
        _push_display(state, "", start, limit if last is None else last)
        state.tokens[-1].meta = {"closed": last is not None}
    return True


def _line_of_end(state: StateBlock, name: str, start: int, limit: int) -> int | None:
    """Return the line on which an environment ends; None where words follow, or nowhere."""
    opener, closer, depth = f"\\begin{{{name}}}", f"\\end{{{name}}}", 0
    for line in range(start, limit + 1):
        text = _line(state, line).rstrip()
        depth += text.count(opener) - text.count(closer)
        if depth <= 0:
            return line if text.rstrip(".,;").rstrip().endswith(closer) else None
    return None


def _push_display(state: StateBlock, opener: str, start: int, last: int) -> None:
    lines = [_line(state, line).rstrip() for line in range(start, last + 1)]
    source = "\n".join(lines).removeprefix(opener)
    token = state.push("display_formula", "", 0)
    token.content = source.removesuffix(closing_mark(opener)).strip()
    token.markup = opener
    token.map = [start, last + 1]
    state.line = last + 1


def _closing_line(state: StateBlock, rest: str, closer: str, start: int, end: int) -> int | None:
    if rest.strip():
        whole = rest.rstrip().endswith(closer) and rest.strip() != closer
        inside = rest.rstrip().removesuffix(closer)
        if whole and inside.strip() and closer not in inside:
            return start
        if closer in rest:
            return None
    for line in range(start + 1, _open_end(state, start, end) + 1):
        text = _line(state, line).rstrip()
        if text.endswith(closer):
            return line if closer not in text.removesuffix(closer) else None
    return None


def _open_end(state: StateBlock, start: int, end: int) -> int:
    """Return the last line before a blank one, the end of the container, or the limit."""
    for line in range(start + 1, min(end, start + _BLOCK_LINES)):
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return line - 1
    return min(end, start + _BLOCK_LINES) - 1


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
