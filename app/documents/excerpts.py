"""What of a document goes to the model: all, its beginning, chosen parts, or what is asked for.

Nothing is chosen here by itself: a person chooses, and what was chosen is said in figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import log

from app.documents.document import Document, DocumentKind, Part

PASSAGE = 800  # characters of a passage, about; it ends with a line
_NEAR = 0.3  # of the best passage's score: below it, only the commonest words are shared
_GAP = "\n[…]\n"
_WORDS = re.compile(r"[^\W_]+")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]+")
_NAMES = {
    DocumentKind.PDF: "Page",
    DocumentKind.SHEETS: "Sheet",
    DocumentKind.SLIDES: "Slide",
    DocumentKind.BOOK: "Chapter",
}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Text of a document, and how much of it that is.

    Attributes:
        text: what the model will see.
        share: of the file's characters, 0 to 1, those included that were never read.
        chosen: the numbers of chosen parts, "1–3, 7"; empty where all were looked at.
    """

    text: str
    share: float = 1.0
    chosen: str = ""


def whole(document: Document) -> Excerpt:
    """Return everything that was read; the share says where reading ended before the end."""
    read = min(document.share, len(document.parts) / max(1, document.total_parts))
    share = min(read, 0.99) if document.is_cut else read
    return Excerpt(_joined(document, document.parts), share)


def beginning(document: Document, characters: int) -> Excerpt:
    """Return the first characters, up to the last line or sentence that is whole."""
    all_of_it = whole(document)
    kept = _cut(all_of_it.text, characters)
    return Excerpt(kept, all_of_it.share * len(kept) / max(1, len(all_of_it.text)))


def chosen_parts(document: Document, numbers: Collection[int]) -> Excerpt:
    """Return the parts of these numbers, in the document's order."""
    parts = [part for part in document.parts if part.number in numbers]
    text = _joined(document, parts)
    all_of_it = sum(len(part.text) for part in document.parts)
    share = whole(document).share * sum(len(part.text) for part in parts) / max(1, all_of_it)
    return Excerpt(text, share, numbers_text([part.number for part in parts]))


def relevant(document: Document, question: str, characters: int) -> Excerpt:
    """Return the passages that share most with the question's words, in the document's order.

    A word counts by how rare it is in the document (BM25 without its length term: passages are
    alike in length). Chinese, Japanese and Korean count by pairs of characters.
    """
    all_of_it = whole(document)
    text = all_of_it.text
    passages = list(_passages(text))
    asked = set(_terms(question))
    found = [Counter(term for term in _terms(passage) if term in asked) for passage in passages]
    holding = Counter(term for terms in found for term in terms)
    rare = {term: log(1 + len(passages) / count) for term, count in holding.items()}
    scores = [sum(rare[t] * n * 2.2 / (n + 1.2) for t, n in terms.items()) for terms in found]
    kept: set[int] = set()
    least = _NEAR * max(scores, default=0.0)
    left = characters
    for index in sorted(range(len(passages)), key=lambda i: (-scores[i], i)):
        if scores[index] > least and len(passages[index]) + len(_GAP) <= left:
            kept.add(index)
            left -= len(passages[index]) + len(_GAP)
    if not kept:
        return beginning(document, characters)
    told = _with_gaps(passages, kept)
    share = sum(len(passages[i]) for i in kept) / max(1, len(text))
    return Excerpt(told, all_of_it.share * share)


def numbers_text(numbers: Collection[int]) -> str:
    """Return numbers as a person writes them: "1–3, 7"."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs)


def numbers_of(text: str, most: int) -> set[int]:
    """Read numbers as a person writes them, up to ``most``; what is no number is passed over."""
    numbers: set[int] = set()
    for piece in re.split(r"[,，;；、\s]+", re.sub(r"\s*[-–—~～]\s*", "-", text)):
        ends = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9})?)?", piece)
        if ends:
            last = int(ends[2]) if ends[2] else most if "-" in piece else int(ends[1])
            numbers.update(range(max(1, int(ends[1])), min(last, most) + 1))
    return numbers


def _joined(document: Document, parts: Collection[Part]) -> str:
    name = _NAMES.get(document.kind)
    if name is None or (len(document.parts) == 1 and not document.parts[0].title):
        return "\n\n".join(part.text for part in parts)
    heads = (f"[{name} {part.number}{': ' * bool(part.title)}{part.title}]" for part in parts)
    return "\n\n".join(f"{head}\n{part.text}" for head, part in zip(heads, parts, strict=True))


def _cut(text: str, characters: int) -> str:
    """Cut at the last end of a line in the last fifth, else of a sentence or a word."""
    if len(text) <= characters:
        return text
    kept, least = text[: max(0, characters)], characters * 4 // 5
    for ends in ("\n", "。！？.!?", " 　"):
        place = max(kept.rfind(end) for end in ends)
        if place >= least:
            return kept[: place + 1].rstrip()
    return kept


def _passages(text: str) -> Iterator[str]:
    """Split at ends of lines, and inside lines that are longer than a passage."""
    passage = ""
    for line in text.splitlines(keepends=True):
        if passage and len(passage) + len(line) > PASSAGE:
            yield passage
            passage = ""
        passage += line
        while len(passage) > 2 * PASSAGE:
            head = _cut(passage, PASSAGE)
            yield head
            passage = passage[len(head) :]
    if passage:
        yield passage


def _with_gaps(passages: list[str], kept: set[int]) -> str:
    """Join passages, with a mark wherever some were left out."""
    told, last = "", -1
    for index in sorted(kept):
        told += passages[index] if index == last + 1 else f"{_GAP if told else '[…]'}{_GAP[-1]}"
        if index != last + 1:
            told = told.rstrip("\n") + "\n" + passages[index]
        last = index
    return told.rstrip() + (_GAP.rstrip() if last < len(passages) - 1 else "")


def _terms(text: str) -> Iterator[str]:
    for word in _WORDS.findall(text.lower()):
        for run in _HAN.findall(word):
            yield from (run[k : k + 2] for k in range(max(1, len(run) - 1)))
        latin = _HAN.sub("", word)
        if len(latin) > 1:
            yield latin
