"""Blocks on paper: a text document that Qt can break into pages, in the look of the transcript.

Nothing here belongs to a window: a document can be made and printed on any thread. Formulas are
drawn as outlines, code has its colours, tables have their three lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
)

from app.rendering.blocks import (
    Block,
    Code,
    DisplayFormula,
    Formula,
    Heading,
    Inline,
    Paragraph,
    Picture,
    Rule,
    Style,
    Table,
    Text,
)
from app.rendering.formulas import draw
from app.rendering.highlighting import LineLexer
from app.rendering.printed_formulas import OBJECT, PrintedFormulas
from app.rendering.printed_quotes import keep_bars, marker_of
from app.rendering.printed_tables import ALIGN, rule_cell, table_format

_STEP = 22  # px: a list or a quote to the right
_HEADINGS = {1: 19, 2: 17, 3: 16}  # px of a heading's type by its level
_BODY, _SMALL, _CODE = 14, 11, 12  # px of type


@dataclass(frozen=True, slots=True)
class Ink:
    """What is printed with: families of type, and colours by the palette's names."""

    sans: Sequence[str]
    mono: Sequence[str]
    colors: Mapping[str, str]


class PrintedPage:
    """A document that blocks are added to, from top to bottom.

    Args:
        ink: families and colours.
        width: of the text, in pixels of 1/96 inch.
    """

    def __init__(self, ink: Ink, width: float) -> None:
        self._ink, self._width = ink, width
        self.document = QTextDocument()
        self.document.setDocumentMargin(0)
        self.document.setUseDesignMetrics(True)
        self.document.setDefaultFont(self.font(_BODY))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTabStopDistance(_STEP)
        self.document.setDefaultTextOption(option)
        self.document.setTextWidth(width)
        self._formulas = PrintedFormulas(self.document)
        self.document.documentLayout().registerHandler(OBJECT, self._formulas)
        self._cursor = QTextCursor(self.document)
        self._is_empty = True

    def font(self, size: int, *, bold: bool = False, mono: bool = False) -> QFont:
        """Return a font of the page."""
        font = QFont()
        font.setFamilies(list(self._ink.mono if mono else self._ink.sans))
        font.setPixelSize(size)
        font.setBold(bold)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        return font

    def add_line(self, text: str, size: int, color: str, *, above: int, bold: bool = False) -> None:
        """Add a line of plain text, for example who speaks; it stays with what follows."""
        form = QTextBlockFormat()
        form.setTopMargin(above)
        form.setBottomMargin(4)
        self._begin(form)
        self._cursor.insertText(text, self._format(size, color, bold=bold))

    def add_plain(self, text: str, ground: str = "", size: int = _BODY, color: str = "ink") -> None:
        """Add text as it is, its lines broken where they were, on a ground of its own if named."""
        self._in_frame(ground, lambda: self._lines(text.split("\n"), self._format(size, color)))

    def add_blocks(self, blocks: Sequence[Block]) -> None:
        """Add a text that was read as Markdown."""
        for block in blocks:
            self._add(block)

    def break_page(self) -> None:
        """Let what follows begin on a page of its own."""
        form = QTextBlockFormat()
        form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
        self._begin(form)

    # --- blocks -------------------------------------------------------------------------------

    def _add(self, block: Block) -> None:
        match block:
            case Paragraph(joined=True):
                self._inlines(block.inlines, _BODY, bold=False)
            case Paragraph():
                self._begin(self._placed(block))
                self._marker(block)
                self._inlines(block.inlines, _BODY, bold=False)
            case Heading():
                form = self._placed(block)
                form.setTopMargin(14)
                self._begin(form)
                self._inlines(block.inlines, _HEADINGS.get(block.level, _BODY), bold=True)
            case Code():
                self._in_frame("code", lambda: self._code(block))
            case Table():
                self._table(block)
            case DisplayFormula():
                self._display(block)
            case Rule():
                form = QTextBlockFormat()
                rule = QTextFormat.Property.BlockTrailingHorizontalRulerWidth
                length = QTextLength(QTextLength.Type.PercentageLength, 100)
                form.setProperty(rule, length)
                self._begin(form)

    def _placed(self, block: Paragraph | Heading) -> QTextBlockFormat:
        """Return where a block stands: under its marker, inside its quotes."""
        form = QTextBlockFormat()
        form.setBottomMargin(6)
        form.setLineHeight(150, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        form.setLeftMargin(_STEP * len(block.place))
        keep_bars(form, block.place, _STEP)
        if marker_of(block):
            form.setTextIndent(-_STEP)
        return form

    def _marker(self, block: Paragraph) -> None:
        if marker := marker_of(block):
            self._cursor.insertText(f"{marker}\t", self._format(_BODY, "ink2"))

    def _inlines(self, inlines: Sequence[Inline], size: int, *, bold: bool) -> None:
        for inline in inlines:
            match inline:
                case Text():
                    form = self._styled(inline, size, bold=bold)
                    self._cursor.insertText(inline.text.replace("\n", "\u2028"), form)
                case Formula():
                    self._formula(inline, size)
                case Picture(alt=alt, address=address):
                    said = f"{alt} ({address})".strip()
                    self._cursor.insertText(said, self._format(size, "ink2"))

    def _styled(self, text: Text, size: int, *, bold: bool) -> QTextCharFormat:
        style = text.style
        mono = Style.CODE in style
        form = self._format(
            size - mono, "accent" if text.link else "ink",
            bold=bold or Style.BOLD in style, mono=mono,
        )  # fmt: skip
        form.setFontItalic(Style.ITALIC in style)
        form.setFontStrikeOut(Style.STRIKE in style)
        if mono:
            form.setBackground(QColor(self._ink.colors["stone2"]))
        if Style.RAISED in style:
            form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
        if text.link:
            form.setAnchor(True)
            form.setAnchorHref(text.link)
        return form

    def _formula(self, formula: Formula, size: int) -> None:
        sketch = draw(formula.source, size * 1.1, display=False)
        if sketch is None or sketch.width > self._width:
            source = formula.marks[0] + formula.source + formula.marks[1]
            self._cursor.insertText(source, self._format(size - 1, "ink", mono=True))
        else:
            self._cursor.insertText("\ufffc", self._formulas.keep(sketch, self.font(size)))

    def _display(self, formula: DisplayFormula) -> None:
        sketch = draw(formula.source, 17, display=True)
        form = QTextBlockFormat()
        form.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        form.setTopMargin(8)
        form.setBottomMargin(10)
        self._begin(form)
        if sketch is None:
            source = formula.marks[0] + formula.source + formula.marks[1]
            self._cursor.insertText(source, self._format(_CODE, "ink", mono=True))
        else:
            fit = min(1.0, self._width / sketch.width)
            font = self.font(_BODY)
            self._cursor.insertText("\ufffc", self._formulas.keep(sketch, font, fit, whole=True))

    def _code(self, code: Code) -> None:
        lines = code.text.split("\n")
        lexer = LineLexer(code.language)
        lexer.push(lines)
        for _ in lexer.exact():
            pass
        for number, line in enumerate(lines):
            if number:
                self._cursor.insertBlock()
            at = 0
            for span in lexer.spans[number]:
                self._cursor.insertText(line[at : span.start], self._mono("ink"))
                at = span.start + span.length
                self._cursor.insertText(line[span.start : at], self._mono(span.tone))
            self._cursor.insertText(line[at:], self._mono("ink"))

    def _lines(self, lines: Sequence[str], form: QTextCharFormat) -> None:
        for number, line in enumerate(lines):
            if number:
                self._cursor.insertBlock()
            self._cursor.insertText(line, form)

    def _table(self, table: Table) -> None:
        if not table.head:
            return
        rows = (table.head, *table.rows)
        made = self._cursor.insertTable(len(rows), len(table.head), table_format())
        for number, row in enumerate(rows):
            last = number == len(rows) - 1
            for column, cell in enumerate(row):
                rule_cell(made, number, column, self._ink.colors, last=last)
                self._cursor = made.cellAt(number, column).firstCursorPosition()
                block = QTextBlockFormat()
                block.setAlignment(ALIGN[table.align[column]])
                self._cursor.setBlockFormat(block)
                self._inlines(cell, _BODY - 1, bold=number == 0)
        self._leave()

    # --- parts --------------------------------------------------------------------------------

    def _begin(self, form: QTextBlockFormat) -> None:
        """Begin a block; the first one takes the place of the document's empty one."""
        if self._is_empty:
            self._is_empty = False
            self._cursor.setBlockFormat(form)
        else:
            self._cursor.insertBlock(form, QTextCharFormat())

    def _in_frame(self, ground: str, write: Callable[[], None]) -> None:
        form = QTextFrameFormat()
        form.setTopMargin(4)
        form.setBottomMargin(8)
        if ground:
            form.setPadding(9)
            form.setBackground(QColor(self._ink.colors[ground]))
        self._is_empty = False
        self._cursor.insertFrame(form)
        self._cursor.setBlockFormat(QTextBlockFormat())
        write()
        self._leave()

    def _leave(self) -> None:
        """Go on behind a frame or a table, in the empty line that Qt keeps there."""
        self._cursor = QTextCursor(self.document)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        form = QTextBlockFormat()
        form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        self._cursor.setBlockFormat(form)

    def _format(
        self, size: int, color: str, *, bold: bool = False, mono: bool = False
    ) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setFont(self.font(size, bold=bold, mono=mono))
        form.setForeground(QColor(self._ink.colors[color]))
        return form

    def _mono(self, color: str) -> QTextCharFormat:
        return self._format(_CODE, color, mono=True)
