"""A table as text for other programs: comma separated, tab separated, Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from app.rendering.blocks import Align, Table, plain_text

_LINES = {Align.NONE: "---", Align.LEFT: ":--", Align.CENTER: ":-:", Align.RIGHT: "--:"}


def rows_of(table: Table) -> list[list[str]]:
    """Return the cells as plain text, the head first."""
    return [[plain_text(cell) for cell in row] for row in (table.head, *table.rows)]


def csv_text(table: Table) -> str:
    """Return a table as CSV (RFC 4180, with line feeds)."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows_of(table))
    return out.getvalue()


def tsv_text(table: Table) -> str:
    """Return a table for a spreadsheet: tabs between cells, a line for each row."""
    return "".join("\t".join(_one_line(row)) + "\n" for row in rows_of(table))


def markdown_text(table: Table) -> str:
    """Return a table as Markdown."""
    head, *body = [[cell.replace("|", "\\|") for cell in _one_line(r)] for r in rows_of(table)]
    lines = [head, [_LINES[align] for align in table.align], *body]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def _one_line(cells: Iterable[str]) -> list[str]:
    return [" ".join(cell.split()) for cell in cells]
