"""Which addresses are links, and where an address that stands bare in the text ends.

A link opens http, https or mailto and nothing else: a reply must not be able to start programs,
read files or run scripts, however it is written.
"""

from __future__ import annotations

import re

from markdown_it.rules_inline.state_inline import StateInline

_SAFE = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)

# Printable ASCII without what ends an address in prose; wide letters only where a path or a query
# begins with them, so that "https://a.com/x的页面" ends before 的 but ".../wiki/砚台" is whole.
_ADDRESS = re.compile(
    r"""(?:[!#$%&'()*+,./0-9:;=?@A-Z\[\]_a-z~-]+"""
    r"""|(?<=[/=_-])[^\x00-\x7f\s\u2000-\u206f\u3000-\u303f\uff00-\uffef]+)+"""
)
_TRAILING = "?!.,:;*_~'"
_HOST = re.compile(r"[A-Za-z0-9\[]")


def is_safe(address: str) -> bool:
    """Tell whether a link may open this address."""
    return _SAFE.match(address) is not None


def address_at(text: str, start: int) -> str:
    """Return the rest of an address from ``start`` (after ``://``), without closing punctuation."""
    found = _ADDRESS.match(text, start)
    return _trimmed(found[0]) if found and _HOST.match(text, start) else ""


def _trimmed(address: str) -> str:
    """Take punctuation off the end, and brackets that were not opened inside."""
    unopened = {
        ")": address.count(")") - address.count("("),
        "]": address.count("]") - address.count("["),
    }
    end = len(address)
    while end:
        last = address[end - 1]
        if last in unopened and unopened[last] > 0:
            unopened[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]


def bare_address(state: StateInline, silent: bool) -> bool:
    """Inline rule at ``://``: turn an address with a safe scheme into a link."""
    pos = state.pos
    if not state.src.startswith("://", pos) or state.linkLevel > 0:
        return False
    scheme = next((s for s in ("https", "http") if state.src[:pos].lower().endswith(s)), "")
    if not scheme or not state.pending.lower().endswith(scheme):
        return False
    start = pos - len(scheme)
    if start > 0 and state.src[start - 1].isascii() and state.src[start - 1].isalnum():
        return False
    rest = address_at(state.src, pos + 3)
    if not rest:
        return False
    if not silent:
        _push_link(state, scheme, state.src[start : pos + 3] + rest)
    state.pos = pos + 3 + len(rest)
    return True


def _push_link(state: StateInline, scheme: str, address: str) -> None:
    state.pending = state.pending[: -len(scheme)]
    token = state.push("link_open", "a", 1)
    token.attrs = {"href": state.md.normalizeLink(address)}
    token = state.push("text", "", 0)
    token.content = address
    state.push("link_close", "a", -1)
