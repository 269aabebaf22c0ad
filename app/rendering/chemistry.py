r"""Chemistry as mhchem writes it, ``\ce{2H2 + O2 -> 2H2O}``, made LaTeX that can be drawn.

No library for Python reads it. What is read here is what answers hold: formulas, charges, states,
bonds, isotopes, hydrates, arrows with conditions. Anything else is left as it stands, and then the
whole formula is shown as its source rather than half of it.
"""

from __future__ import annotations

import re

_OPENS = re.compile(r"\\(?:ce|pu)\s*\{")
_ARROW = re.compile(
    r"\s*(<=>>|<<=>|<=>|<-->|<->|->|<-|=>)\s*((?:\[(?:[^\[\]]|\[[^\]]*\])*\]){0,2})\s*"
)
_ARROWS = {
    "->": "→", "<-": "←", "<->": "↔", "<-->": "⇄", "=>": "⇒",
    "<=>": "⇌", "<=>>": "⇌", "<<=>": "⇌",
}  # fmt: skip
_CONDITION = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]")
_PART = re.compile(
    r"(?P<script>[\^_](?:\{[^{}]*\}|[0-9]*[+-](?![0-9A-Za-z])|-?[0-9]+[+-]?|[A-Za-z*]))"
    r"|(?P<gas>\s+\^(?=\s|$))|(?P<solid>\s+v(?=\s|$))"
    r"|(?P<state>\s*\((?:aq|s|l|g|cr|am)\))"
    r"|(?P<dot>\s*[.*·]\s*(?=[0-9A-Z(]))"
    r"|(?P<plus>\s+[+-]\s+)"
    r"|(?P<charge>(?<=[A-Za-z0-9)\]}])[0-9]*[+-](?![A-Za-z0-9]))"
    r"|(?P<bond>(?<=[A-Za-z0-9)\]])[-=#](?=[A-Z(\[]))"
    r"|(?P<count>(?<=[A-Za-z)\]}])[0-9]+)"
    r"|(?P<number>[0-9]+(?:[./][0-9]+)?)\s*"
    r"|(?P<element>[A-Z][a-z]?|[a-z]+|[Ͱ-Ͽ])"
    r"|(?P<bracket>[()\[\]])"
    r"|(?P<macro>\\(?:text|mathrm)\s*\{[^{}]*\}|\\[A-Za-z]+\s*|\\[{},; ])"
    r"|(?P<space>\s+)|(?P<comma>,)"
)
_BONDS = {"-": "{-}", "=": "{=}", "#": "{≡}"}


def with_chemistry(source: str) -> str:
    r"""Return a formula with each ``\ce{…}`` in it as plain LaTeX, if all of it is understood."""
    while (found := _OPENS.search(source)) is not None:
        end = _closing(source, found.end())
        read = chemistry(source[found.end() : end]) if end > 0 else None
        if read is None:
            return source
        source = source[: found.start()] + "{" + read + "}" + source[end + 1 :]
    return source


def chemistry(written: str) -> str | None:
    """Return an equation as LaTeX; None where something in it is not understood."""
    parts: list[str | None] = []
    at = 0
    for arrow in _ARROW.finditer(written):
        parts += _side(written[at : arrow.start()]), _arrow(arrow[1], arrow[2])
        at = arrow.end()
    parts.append(_side(written[at:]))
    return None if None in parts else "".join(part for part in parts if part)


def _closing(source: str, start: int) -> int:
    """Return where the brace is that closes one before ``start``, -1 for nowhere."""
    depth = 1
    for place in range(start, len(source)):
        depth += {"{": 1, "}": -1}.get(source[place], 0)
        if not depth:
            return place
    return -1


def _arrow(sign: str, conditions: str) -> str:
    r"""Return an arrow with what stands above and below it; no condition is not understood."""
    drawn = rf"\mathrel{{{_ARROWS[sign]}}}"
    if sign in {"->", "=>"}:
        drawn = r"\longrightarrow " if sign == "->" else r"\Longrightarrow "
    above, below = [*(_condition(c) for c in _CONDITION.findall(conditions)), "", ""][:2]
    if below:
        drawn = rf"\underset{{{below}}}{{{drawn}}}"
    if above:
        drawn = rf"\overset{{{above}}}{{{drawn}}}"
    return rf"\ {drawn}\ "


def _condition(written: str) -> str:
    """Return what stands at an arrow: a substance, or words."""
    words = written.strip()
    return (chemistry(words) if words.isascii() else None) or rf"\text{{{words.strip('{}$')}}}"


def _side(written: str) -> str | None:
    """Return what stands on one side of an arrow as LaTeX."""
    written, at = written.strip(), 0
    parts: list[str] = []
    while at < len(written):
        part = _PART.match(written, at)
        if part is None:
            return None
        parts.append(_latex(part, at_start=not parts or parts[-1].endswith(" ")))
        at = part.end()
    return "".join(parts)


def _latex(part: re.Match[str], *, at_start: bool) -> str:
    text, kind = part[0].strip(), part.lastgroup or ""
    if kind == "script":
        base = "{}" if at_start else ""
        return f"{base}{text[0]}{{{_minus(text[1:].strip('{}'))}}}"
    if kind == "number":
        top, _, bottom = text.partition("/")
        return (rf"\tfrac{{{top}}}{{{bottom}}}" if bottom else text) + r"\, "
    made = {
        "gas": r"\uparrow ",
        "solid": r"\downarrow ",
        "state": rf"\text{{{text}}}",
        "dot": r"\cdot ",
        "plus": f" {text} ",
        "charge": f"^{{{_minus(text)}}}",
        "bond": _BONDS.get(text, ""),
        "count": f"_{{{text}}}",
        "element": rf"\mathrm{{{text}}}",
        "space": r"\, ",
    }
    return made.get(kind, text)


def _minus(charge: str) -> str:
    return charge.replace("-", "−")
