"""Nothing that a model writes steers a terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from engine.terminal.harmless import harmless


@given(st.text(max_size=40))
def test_no_control_character_is_left_but_lines_and_tabs(text: str) -> None:
    shown = harmless(text)
    assert not [c for c in shown if unicodedata.category(c) == "Cc" and c not in "\n\t"]
    assert shown.count("\n") == text.count("\n")


def test_an_escape_is_seen_and_not_obeyed() -> None:
    assert harmless("a\x1b[2Jb\x9b1m\x7f") == "a\u241b[2Jb\ufffd1m\u2421"
    assert harmless("one\r\ntwo\n") == "one\ntwo\n"
