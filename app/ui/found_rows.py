"""How a turn that a search found looks in the list: its chat's title, and the words around the hit.

The hit stands on the ground of search hits and in bold, so that colour is never alone.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout

from app.store.search import SearchHit
from app.store.turn_text import Where
from app.ui.look import Look

_SIDE, _ABOVE = 8, 5  # px inside a row
_SIGN = 14  # px: of what the words stand in, where that is not what was said
_LINES = 2  # of the snippet: in a narrow list the hit may stand in the second one

Marks = tuple[tuple[int, int], ...]


def found_height(look: Look) -> int:
    """Return the height of a row."""
    theme = look.theme
    lines = theme.line_height("small") + _LINES * theme.line_height("caption")
    return lines + 2 * _ABOVE + 2


def paint_found(
    painter: QPainter, rect: QRect, look: Look, hit: SearchHit, title: str, *, stands_out: bool
) -> None:
    """Paint title and snippet; the row's ground is there already."""
    theme = look.theme
    painter.setClipRect(rect)
    room = rect.adjusted(_SIDE, _ABOVE, -_SIDE, -_ABOVE)
    line = QRect(room.x(), room.y(), room.width(), theme.line_height("small"))
    name = _paint_where(painter, line, look, hit)
    painter.setFont(theme.font("small"))
    painter.setPen(theme.color("ink" if stands_out else "ink2"))
    elided = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, name.width())
    painter.drawText(name, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)
    painter.setPen(theme.color("ink2" if stands_out else "ink3"))
    layout = snippet_layout(look, hit.snippet, hit.marks, room.width())
    layout.draw(painter, QPointF(room.x(), line.bottom() + 3))


def _paint_where(painter: QPainter, line: QRect, look: Look, hit: SearchHit) -> QRect:
    """Paint the sign of a thought or a file at the end of a line; return what is left of it."""
    icons = {Where.THOUGHT: "lightbulb", Where.FILE: "paperclip"}
    if hit.where not in icons:
        return line
    place = QRect(line.right() - _SIGN, line.center().y() - _SIGN // 2, _SIGN, _SIGN)
    look.theme.icon(icons[hit.where]).paint(painter, place)
    return line.adjusted(0, 0, -_SIGN - 6, 0)


def snippet_layout(look: Look, snippet: str, marks: Marks, width: int) -> QTextLayout:
    """Return a snippet on two lines at most, its hits marked, the rest elided."""
    font = look.theme.font("caption")
    layout = _laid_out(look, snippet, marks, width, font)
    if layout.lineCount() > _LINES:
        start = layout.lineAt(_LINES - 1).textStart()
        kept = QFontMetrics(font).elidedText(
            snippet[start:], Qt.TextElideMode.ElideRight, width - look.theme.px(12)
        )
        layout = _laid_out(look, snippet[:start] + kept, marks, width, font)
    return layout


def _laid_out(look: Look, text: str, marks: Marks, width: int, font: QFont) -> QTextLayout:
    layout = QTextLayout(text, font)
    layout.setFormats([_marked(look, start, end, len(text)) for start, end in marks if start < end])
    layout.beginLayout()
    height = look.theme.line_height("caption")
    number = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, number * height))
        number += 1
    layout.endLayout()
    return layout


def _marked(look: Look, start: int, end: int, most: int) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length = start, max(0, min(end, most) - start)
    form = QTextCharFormat()
    form.setBackground(look.theme.color("heat3"))
    form.setForeground(look.theme.color("ink"))
    form.setFontWeight(QFont.Weight.Bold)
    found.format = form
    return found
