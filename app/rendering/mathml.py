r"""MathML as the drawing library can show it: what it would misdraw, said in another way.

latex2mathml loses what TeX knows of its signs: which are operators and take space beside them,
which brackets grow. A rule here is one kind of sign, not one formula.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from html import unescape
from unicodedata import normalize
from xml.etree import ElementTree as ET

_BINARY = frozenset("×÷∪∩∖∨∧⊕⊗∘±∓⋅·∗⋆")
_RELATIONS = frozenset("⇌⇄∼≃≈≅≡⊥⟂∥∣∝⟹⟸⟺⟶⟵⟷⇒⇐⇔→←↔↦⊂⊃⊆⊇∈∉∋⊢⊨≺≻⪯⪰≪≫≤≥≠")
_BEFORE_A_SIGN = frozenset("([{|‖⟨,;:=<>+−-±") | _BINARY | _RELATIONS
_FENCES = frozenset("|‖⌊⌋⌈⌉⟨⟩()[]{}")
_SAME = {"~": "∼", "⟂": "⊥", "∣": "∣"}
_MEDIUM, _THICK = "0.222em", "0.278em"  # TeX's spaces beside operators and relations
_STRUCK = "\u0338"
_ENTITY = re.compile(r"&#x?[0-9A-Fa-f]+;")
_HATS = {"\u0302": "\u02c6"}  # over one letter, and not as wide as what is below
_ARROWS = {"→": "⟶", "←": "⟵", "⇒": "⟹", "⇐": "⟸", "↔": "⟷", "⇔": "⟺", "⇌": "⇌"}


def mended(mathml: str) -> ET.Element:
    """Return the tree of a formula, ready to be drawn."""
    text = _ENTITY.sub(lambda found: _character(found[0]), mathml)
    root = ET.fromstring(text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', ""))
    for row in list(root.iter()):
        _stack(row)
        if row.tag in {"mo", "mi", "mtext"} and len(row):
            row.tag = "mrow"  # \\mathrel around a sign
    for table in root.iter("mtable"):
        _line_up_tags(table)
    for row in list(root.iter()):
        _strike(row)
        _close_kets(row)
        for place, sign in enumerate(row):
            _mend(row, place, sign)
    for over in root.iter():
        _mend_accent(over)
    for box in [*root.iter("menclose")]:
        _give_air(box)
    return root


def _character(entity: str) -> str:
    char = unescape(entity)
    return entity if char in "<>&" else char


def _text(element: ET.Element | None) -> str:
    return (element.text or "").strip() if element is not None else ""


def _mend(row: ET.Element, place: int, sign: ET.Element) -> None:
    """Give a sign the spaces and the size that it has in TeX."""
    text = _text(sign)
    if sign.tag not in {"mo", "mi"} or len(text) != 1:
        return
    if text in "∂∇":
        sign.tag = "mtext"  # upright, and nothing beside it
    elif text in _FENCES:
        _keep_small(row, place, sign)
    elif text in "+−-±∓" and _opens(row, place):
        sign.tag = "mo"
        _space(sign, "0em")
    elif sign.tag == "mi" and text == "~":
        sign.tag, sign.text = "mo", "∼"
        _space(sign, _THICK)  # alone in its row, too: it may bear a word
    elif text in _BINARY | _RELATIONS and row.tag in {"mrow", "math", "mstyle", "mtd"}:
        sign.tag, sign.text = "mo", _SAME.get(text, text)
        inside = 0 < place < len(row) - 1
        _space(sign, (_MEDIUM if text in _BINARY else _THICK) if inside else "0em")


def _space(sign: ET.Element, width: str) -> None:
    sign.set("lspace", width)
    sign.set("rspace", width)


def _opens(row: ET.Element, place: int) -> bool:
    """Tell whether a sign stands where a number begins, so that it belongs to the number."""
    before = next((e for e in reversed(row[:place]) if e.tag != "mspace" and _shown(e)), None)
    if before is None:
        return row.tag != "mrow" or len(row) > 1
    return before.tag in {"mo", "mi"} and _text(before) in _BEFORE_A_SIGN and _is_open(before)


def _is_open(before: ET.Element) -> bool:
    return before.get("form") != "postfix"


def _shown(element: ET.Element) -> bool:
    return bool("".join(element.itertext()).strip())


def _keep_small(row: ET.Element, place: int, fence: ET.Element) -> None:
    r"""Brackets grow with what they hold only where ``\left`` or ``\big`` says so, or a matrix."""
    beside = row[max(0, place - 1) : place + 2]
    grows = fence.get("stretchy") == "true" or fence.get("minsize") is not None
    if not grows and not any(each.tag == "mtable" for each in beside):
        fence.tag = "mo"
        fence.set("stretchy", "false")
        _space(fence, "0em")


def _strike(row: ET.Element) -> None:
    r"""``\not=`` is one sign, where Unicode has it."""
    for slash, sign in _pairs(row):
        if slash.tag == "mpadded" and "".join(slash.itertext()).strip() == "⧸":
            whole = normalize("NFC", _text(sign) + _STRUCK)
            if len(whole) == 1:
                row.remove(slash)
                sign.text = whole


def _pairs(row: ET.Element) -> Iterator[tuple[ET.Element, ET.Element]]:
    children = list(row)
    yield from itertools.pairwise(children)


def _close_kets(row: ET.Element) -> None:
    """The stroke of a state is a bracket, with no space beside it."""
    if len(row) == 3 and (_text(row[2]) == "⟩" or _text(row[0]) == "⟨"):
        for stroke in (row[0], row[2]):
            if _text(stroke) == "∣":
                stroke.text = "|"


def _mend_accent(over: ET.Element) -> None:
    if over.tag not in {"mover", "munderover"} or len(over) < 2:
        return
    mark = over[-1]
    if over.get("accent") == "true" and _text(mark) in _HATS:
        mark.text = _HATS[_text(mark)]
        mark.set("stretchy", "false")
    if mark.tag == "mo" and len(_text(mark)) == 1:
        _space(mark, "0em")
    base = over[0]
    if base.tag == "mstyle" and len(base) == 1 and _text(base[0]) in _ARROWS:
        base[0].text = _ARROWS[_text(base[0])]


def _give_air(box: ET.Element) -> None:
    """A frame keeps away from what it holds."""
    if "box" not in (box.get("notation") or "box").split():
        return
    roomy = ET.Element("roomy")
    roomy.extend(list(box))
    for child in list(box):
        box.remove(child)
    box.append(roomy)


def _stack(row: ET.Element) -> None:
    """Lines under each other are centred, as TeX does."""
    if not any(child.get("linebreak") == "newline" for child in row):
        return
    table = ET.Element("mtable", displaystyle="true", rowspacing="3pt")
    cell = _cell(ET.SubElement(table, "mtr"), "center")
    for child in list(row):
        row.remove(child)
        if child.get("linebreak") == "newline":
            cell = _cell(ET.SubElement(table, "mtr"), "center")
        else:
            cell.append(child)
    row.append(table)


def _cell(row: ET.Element, align: str) -> ET.Element:
    return ET.SubElement(row, "mtd", columnalign=align)


def _line_up_tags(table: ET.Element) -> None:
    """The numbers of several lines stand under each other."""
    columns = max((len(row) for row in table), default=0)
    for row in table:
        last = row[-1] if len(row) else None
        if last is not None and len(last) > 2 and _is_tag(last[-2], last[-1]):
            tag = list(last)[-2:]
            for part in tag:
                last.remove(part)
            for _ in range(columns - len(row)):
                _cell(row, "left")
            _cell(row, "right").extend(tag)


def _is_tag(space: ET.Element, words: ET.Element) -> bool:
    return space.get("width") == "2em" and words.tag == "mtext" and _text(words).endswith(")")
