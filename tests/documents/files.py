"""Files as people have them, made on the spot: each maker writes one and returns its path."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

_DOCX_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package'
    '.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.'
    'openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
    'relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/'
    '2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
}
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(path: Path, pages: Sequence[str]) -> Path:
    """A PDF with one line a page in Helvetica; an empty text is a page without any."""
    kids = " ".join(f"{4 + 2 * k} 0 R" for k in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for k, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else "0 0 100 100 re f"
        objects += [
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {5 + 2 * k} 0 R>>",
            f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream",
        ]
    out, places = b"%PDF-1.4\n", []
    body = []
    size = len(out)
    for number, each in enumerate(objects, 1):
        places.append(size)
        body.append(f"{number} 0 obj{each}endobj\n".encode())
        size += len(body[-1])
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    tail = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{size}\n%%EOF"
    )
    path.write_bytes(out + b"".join(body) + tail.encode())
    return path


def locked_pdf(path: Path, text: str, password: str) -> Path:
    """A PDF that asks for a password."""
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=pdf(path, [text]))
    writer.encrypt(password, algorithm="RC4-128")
    writer.write(path)
    return path


def docx(path: Path, body: str) -> Path:
    """A Word file with this XML as its body."""
    document = f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    return archive(path, _DOCX_PARTS | {"word/document.xml": document})


def paragraph(text: str) -> str:
    """One paragraph of a Word file."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def pptx(path: Path, slides: Sequence[tuple[str, str, str]]) -> Path:
    """A presentation of slides with title, text and notes."""
    from pptx import Presentation

    show = Presentation()
    for title, text, notes in slides:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        slide.notes_slide.notes_text_frame.text = notes
    show.save(str(path))
    return path


def xlsx(path: Path, sheets: dict[str, Sequence[Sequence[object]]]) -> Path:
    """A workbook."""
    import xlsxwriter

    with xlsxwriter.Workbook(str(path)) as book:
        days = book.add_format({"num_format": "yyyy-mm-dd"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            sheet.set_column(0, 20, 12)
            for r, row in enumerate(rows):
                for c, value in enumerate(row):
                    if hasattr(value, "year"):
                        sheet.write_datetime(r, c, value, days)
                    else:
                        sheet.write(r, c, value)
    return path


def epub(path: Path, chapters: Sequence[str], extra: dict[str, str] | None = None) -> Path:
    """A book of web pages."""
    items = "".join(
        f'<item id="c{k}" href="text/c%20{k}.xhtml" media-type="application/xhtml+xml"/>'
        for k in range(len(chapters))
    )
    order = "".join(f'<itemref idref="c{k}"/>' for k in range(len(chapters)))
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:'
        'container"><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>',
        "OEBPS/content.opf": '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        f"{items}</manifest><spine>{order}</spine></package>",
    }
    files |= {f"OEBPS/text/c {k}.xhtml": text for k, text in enumerate(chapters)}
    return archive(path, files | (extra or {}))


def archive(path: Path, files: dict[str, str]) -> Path:
    """A zip file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as held:
        for name, text in files.items():
            held.writestr(name, text)
    return path
