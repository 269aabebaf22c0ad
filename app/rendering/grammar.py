"""The Markdown that replies are written in.

CommonMark with tables, strike-through, check boxes, bare addresses, formulas and footnotes; raw
HTML is text, and nothing is ever fetched. Built on markdown-it-py. Every added rule looks at a
stretch of text once, so that no input costs more than some milliseconds a kilobyte.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_inline.state_inline import StateInline

from app.rendering import addresses, emphasis, fences, footnotes, maths

MAX_NESTING = 40  # levels; a list takes two. What is nested deeper is shown as it was written.
_BREAK = re.compile(r"<br\s{0,8}/?>", re.IGNORECASE)


def build_parser() -> MarkdownIt:
    """Return a parser; it keeps no state between texts."""
    options = {"html": False, "tasklists": True, "maxNesting": MAX_NESTING}
    parser = MarkdownIt("commonmark", options)
    parser.enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline"])
    parser.inline = _with_rules(parser)
    parser.validateLink = addresses.is_safe  # type: ignore[method-assign, assignment]
    ruler = parser.block.ruler
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    ruler.at("fence", fences.fence_rule, interrupts)
    ruler.before("fence", "display_formula", maths.display_rule, interrupts)
    ruler.before("fence", "environment", maths.environment_rule, interrupts)
    ruler.before("reference", "note", footnotes.note_rule, {"alt": ["paragraph", "reference"]})
    return parser


def _with_rules(parser: MarkdownIt) -> emphasis.InlineParser:
    inline = emphasis.InlineParser()
    inline.ruler.enableOnly(parser.inline.ruler.get_active_rules())
    inline.ruler2.enableOnly(parser.inline.ruler2.get_active_rules())
    inline.ruler.before("escape", "formula_brackets", maths.brackets)
    inline.ruler.before("escape", "formula_dollars", maths.dollars)
    inline.ruler.before("newline", "bare_address", addresses.bare_address)
    inline.ruler.before("link", "note_mark", footnotes.mark_rule)
    inline.ruler.before("autolink", "break_tag", break_tag)
    return inline


def break_tag(state: StateInline, silent: bool) -> bool:
    """Inline rule: ``<br>`` ends a line. It is the one tag with a meaning of its own here.

    A table's cell has no other way to break a line, and models use it there.
    """
    found = _BREAK.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = found.end()
    return True
