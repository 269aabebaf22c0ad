"""Web pages and the chapters of books as Markdown: headings, lists, tables, links.

EPUB is a zip of web pages with a list of their order: the one library for it, ebooklib, has a
licence (AGPL) that would bind the whole program.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote

from app.documents.document import DocumentError, DocumentFaultKind, Part
from app.documents.pages import Pages
from app.documents.text import clean, decode

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""")
_NOT_READ = ("script", "style", "noscript", "template", "svg", "head", "iframe")
_FONTS_ONLY = ("font", "otf", "ttf", "woff")  # scrambled in many free books


def markdown_of(markup: str) -> str:
    """Return the readable text of a web page as Markdown; pictures are left out."""
    from bs4 import BeautifulSoup  # noqa: PLC0415
    from markdownify import ATX, MarkdownConverter  # noqa: PLC0415

    soup = BeautifulSoup(markup, "lxml")
    title = soup.title.get_text(" ", strip=True) if soup.title is not None else ""
    for unread in soup(_NOT_READ):
        unread.decompose()
    text = MarkdownConverter(heading_style=ATX, strip=["img"], bullets="-").convert_soup(soup)
    text = re.sub(r"\n{3,}", "\n\n", clean(str(text))).strip()
    has_title = not title or title in text[: len(title) + 200]
    return text if has_title else f"# {title}\n\n{text}"


def read_page(data: bytes) -> tuple[str, str]:
    """Return a web page's text and its encoding."""
    declared = _DECLARED.search(data[:2048])
    markup, encoding = decode(data, declared[1].decode("ascii") if declared else "")
    return markdown_of(markup), encoding


def read_book(path: Path, pages: Pages) -> None:
    """Read the chapters of an EPUB in their order.

    Raises:
        DocumentError: PROTECTED, DAMAGED.
    """
    from lxml.etree import XMLSyntaxError  # noqa: PLC0415

    with zipfile.ZipFile(path) as book:
        if _is_protected(book):
            raise DocumentError(DocumentFaultKind.PROTECTED)
        try:
            chapters = _chapters(book)
        except (KeyError, IndexError, XMLSyntaxError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise DocumentError(DocumentFaultKind.DAMAGED, reason=reason) from error
        pages.total = len(chapters)
        for number, chapter in enumerate(chapters, 1):
            if pages.is_full:
                break
            if chapter in book.NameToInfo:
                text, _ = read_page(book.read(chapter))
                pages.add(Part(number, text, _heading(text)))


def _chapters(book: zipfile.ZipFile) -> list[str]:
    """Return the names of the chapters' files, as container and package file list them."""
    package = str(_xml(book, "META-INF/container.xml").xpath("//*[@full-path]/@full-path")[0])
    tree, folder = _xml(book, package), posixpath.dirname(package)
    files = {
        str(item.get("id")): unquote(str(item.get("href")))
        for item in tree.xpath("//*[local-name()='manifest']/*[local-name()='item']")
    }
    order = tree.xpath("//*[local-name()='spine']/*[local-name()='itemref']/@idref")
    return [posixpath.normpath(posixpath.join(folder, files[str(i)])) for i in order if i in files]


def _xml(book: zipfile.ZipFile, name: str):  # type: ignore[no-untyped-def]
    from lxml import etree  # noqa: PLC0415

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    return etree.fromstring(book.read(name), parser)


def _is_protected(book: zipfile.ZipFile) -> bool:
    if "META-INF/rights.xml" in book.NameToInfo:
        return True
    if "META-INF/encryption.xml" not in book.NameToInfo:
        return False
    scrambled = _xml(book, "META-INF/encryption.xml").xpath("//@URI")
    return any(not str(uri).lower().endswith(_FONTS_ONLY) for uri in scrambled)


def _heading(text: str) -> str:
    first = text.lstrip().partition("\n")[0]
    return first.lstrip("# ").strip()[:80] if first.startswith("#") else ""
