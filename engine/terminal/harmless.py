"""Text of a model made fit for a terminal: it may be read there, and may not steer it.

A terminal obeys control characters: a reply could move the cursor, write over what stands above it,
or fill the clipboard (ECMA-48; xterm's OSC 52).
"""

from __future__ import annotations

_SHOWN = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"}
_SHOWN |= {0x7F: "\u2421"}
_SHOWN |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")


def harmless(text: str) -> str:
    """The text with signs in place of control characters; carriage returns before ends go."""
    return text.replace("\r\n", "\n").translate(_SHOWN)
