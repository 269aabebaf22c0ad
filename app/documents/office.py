"""Word, PowerPoint and spreadsheet files: Markdown for what is read, CSV for what is counted."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from pathlib import Path

from app.documents.document import DocumentError, DocumentFaultKind, Part
from app.documents.pages import Pages
from app.documents.text import clean
from app.documents.web import markdown_of


def read_word(path: Path, pages: Pages) -> None:
    """Read a Word file: headings, lists, tables, footnotes.

    Raises:
        DocumentError: DAMAGED.
    """
    import mammoth  # noqa: PLC0415

    without_pictures = mammoth.images.img_element(lambda image: {"src": ""})
    try:
        with path.open("rb") as file:
            html = mammoth.convert_to_html(file, convert_image=without_pictures).value
    except (KeyError, ValueError, AttributeError, OSError, zipfile.BadZipFile) as error:
        raise _damaged(error) from error
    pages.total = 1
    pages.add(Part(1, markdown_of(html)))


def read_slides(path: Path, pages: Pages) -> None:
    """Read a presentation: titles, text, tables and the speaker's notes of each slide.

    Raises:
        DocumentError: DAMAGED.
    """
    from pptx import Presentation  # noqa: PLC0415
    from pptx.exc import PythonPptxError  # noqa: PLC0415

    try:
        with path.open("rb") as file:
            slides = list(Presentation(file).slides)
            pages.total = len(slides)
            for number, slide in enumerate(slides, 1):
                title = slide.shapes.title
                name = " ".join(title.text_frame.text.split()) if title is not None else ""
                pages.add(Part(number, clean("\n\n".join(_of_slide(slide))), name[:80]))
    except (PythonPptxError, KeyError, ValueError, AttributeError, zipfile.BadZipFile) as error:
        raise _damaged(error) from error


def _of_slide(slide) -> Iterator[str]:  # type: ignore[no-untyped-def]
    yield from _of_shapes(slide.shapes)
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        notes = frame.text.strip()
        if notes:
            yield f"> {notes}".replace("\n", "\n> ")


def _of_shapes(shapes) -> Iterator[str]:  # type: ignore[no-untyped-def]
    for shape in shapes:
        if hasattr(shape, "shapes"):  # a group
            yield from _of_shapes(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield csv_of([cell.text for cell in row.cells] for row in shape.table.rows)
        elif shape.has_text_frame and (text := shape.text_frame.text.strip()):
            yield text


def read_sheets(path: Path, pages: Pages) -> None:
    """Read a workbook, each sheet as CSV with the values that were last calculated.

    Raises:
        DocumentError: ENCRYPTED, DAMAGED.
    """
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError  # noqa: PLC0415

    try:
        book = CalamineWorkbook.from_path(str(path))
        pages.total = len(book.sheet_names)
        for number, name in enumerate(book.sheet_names, 1):
            if pages.is_full:
                break
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
            pages.add(Part(number, clean(csv_of(rows)), name))
    except PasswordError as error:
        raise DocumentError(DocumentFaultKind.PROTECTED) from error
    except CalamineError as error:
        raise _damaged(error) from error


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; numbers as a person writes them, dates by ISO 8601."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        cells = [_cell(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        writer.writerow(cells)
    return text.getvalue().strip("\n")


def _cell(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value).strip() if value is not None else ""


def _damaged(error: Exception) -> DocumentError:
    return DocumentError(DocumentFaultKind.DAMAGED, reason=str(error) or type(error).__name__)
