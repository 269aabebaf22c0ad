"""The reader's process: bounded in time and memory, ended by a wish, never heard of again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from app.documents import Document, DocumentFault, DocumentFaultKind, Limits, read_document
from tests.documents import files


def test_a_file_is_read_in_a_process_of_its_own(tmp_path: Path) -> None:
    found = read_document(files.pdf(tmp_path / "a.pdf", ["Words"]))
    assert isinstance(found, Document)
    assert found.parts[0].text == "Words"


def test_the_window_imports_none_of_the_libraries() -> None:
    code = (
        "import sys, app.documents; "
        "heavy = {'pypdfium2', 'mammoth', 'pptx', 'bs4', 'lxml', 'chardet', 'python_calamine'}; "
        "sys.exit(bool(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_reading_ends_when_nobody_wants_it_any_more(tmp_path: Path) -> None:
    path = files.pdf(tmp_path / "a.pdf", ["Words"])
    found = read_document(path, is_cancelled=lambda: True)
    assert found == DocumentFault(DocumentFaultKind.CANCELLED, "a.pdf")


def test_reading_ends_with_its_time(tmp_path: Path) -> None:
    path = files.pdf(tmp_path / "a.pdf", ["Words"])
    found = read_document(path, limits=Limits(seconds=0.0))
    assert found == DocumentFault(DocumentFaultKind.TOO_SLOW, "a.pdf", {"seconds": 0.0})


def test_a_file_that_needs_too_much_memory_fails_alone(tmp_path: Path) -> None:
    """Fifty thousand paragraphs; Python and the reader alone take most of the memory allowed."""
    row = "<w:p><w:r><w:t>x</w:t></w:r></w:p>" * 10
    path = files.docx(tmp_path / "deep.docx", row * 5_000)
    found = read_document(path, limits=Limits(memory_bytes=140_000_000, seconds=30))
    assert isinstance(found, DocumentFault)
    assert found.kind in {DocumentFaultKind.OUT_OF_MEMORY, DocumentFaultKind.DAMAGED}
