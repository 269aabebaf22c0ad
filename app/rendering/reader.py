"""Markdown text to blocks: the whole of it at once.

``read`` is what the final form of a reply is made by; ``stream`` reaches the same blocks while the
text is still growing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.rendering.blocks import (
    Align,
    Block,
    Code,
    Container,
    DisplayFormula,
    Heading,
    Inline,
    Item,
    Note,
    Paragraph,
    Place,
    Quote,
    Rule,
    Table,
    Text,
)
from app.rendering.grammar import MAX_NESTING, build_parser
from app.rendering.maths import closing_mark
from app.rendering.pieces import in_pieces
from app.rendering.runs import read_inlines

_BULLETS = "•◦▪"
_ALIGN = {f"text-align:{align}": align for align in (Align.LEFT, Align.CENTER, Align.RIGHT)}


@dataclass(slots=True)
class Reading:
    """What a parse found besides blocks, by the line where it ends: what may be frozen with it.

    ``references`` maps a label to markdown-it's own record of a link definition.
    """

    blocks: list[Block]
    starts: list[int]  # of the top-level blocks and top-level list items, by line
    firsts: list[int]  # for each start: the index of its first block
    references: dict[str, Any]
    notes: dict[str, int]  # footnotes: label, line


@dataclass(slots=True)
class ListState:
    """A list that is being read: its bullet or next number."""

    bullet: str = ""
    number: int = 0
    delimiter: str = "."

    def marker(self) -> str:
        """Return the marker of the next item."""
        if self.bullet:
            return self.bullet
        self.number += 1
        return f"{self.number - 1}{self.delimiter}"


class Reader:
    """Reads Markdown; holds a parser and nothing about any text."""

    def __init__(self) -> None:
        self._parser: MarkdownIt = build_parser()

    def read(self, text: str) -> list[Block]:
        """Return the blocks of a finished text."""
        return self.read_from(normalized(text), 0, {}, streaming=False).blocks

    def read_from(
        self,
        text: str,
        first_line: int,
        references: dict[str, Any],
        *,
        streaming: bool,
        resume: Resume | None = None,
        notes: Mapping[str, int] | None = None,
    ) -> Reading:
        """Return the blocks of a text that continues one whose first lines were read before.

        Args:
            text: ``normalized``, from a line where a top-level block or list item begins.
            first_line: the number of that line.
            references: link definitions found before.
            streaming: more text may follow.
            resume: the list that the text continues, if it begins with an item of one.
            notes: footnotes found before.
        """
        env: dict[str, Any] = {
            "references": dict(references),
            "notes": dict(notes or {}),
            "streaming": streaming,
        }
        tokens = self._parser.parse(text, env)
        if any(token.level >= MAX_NESTING - 1 for token in tokens):
            return _as_written(text, first_line)
        builder = Builder(text.split("\n"), first_line, resume or Resume())
        builder.build(tokens)
        return Reading(
            builder.blocks, builder.starts, builder.firsts, env["references"], env["notes"]
        )


def normalized(text: str) -> str:
    """Return a text with line feeds as its only line ends, and without NUL (CommonMark, 2.3)."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def _as_written(text: str, first_line: int) -> Reading:
    """Return a text as one block of plain text: markdown-it drops what is nested too deep."""
    lines = first_line, first_line + text.count("\n") + 1
    return Reading([Paragraph((Text(text.rstrip("\n")),), lines=lines)], [0], [0], {}, {})


@dataclass(frozen=True, slots=True)
class Resume:
    """The list that a text goes on with, and whether a blank line stands before it."""

    delimiter: str = ""  # of the list: its bullet character or the mark behind the number
    number: int = 1
    after_blank: bool = False


@dataclass(slots=True)
class Builder:
    """Turns tokens into blocks, keeping the containers that are open."""

    source: list[str]
    first_line: int
    resume: Resume
    blocks: list[Block] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    place: list[Container] = field(default_factory=list)
    lists: list[ListState] = field(default_factory=list)
    items: list[Token] = field(default_factory=list)

    def build(self, tokens: Sequence[Token]) -> None:
        """Read all tokens of a text."""
        stream = iter(tokens)
        for token in stream:
            self._note_start(token)
            self._take(token, stream)

    def _note_start(self, token: Token) -> None:
        """Keep where a top-level block, or an item of a top-level list, begins for certain.

        An open formula may turn out to be words, and then belong to the paragraph before it.
        """
        top = token.level == 0 and not token.type.endswith("_list_open")
        item = token.level == 1 and token.type == "list_item_open"
        settled = token.type != "display_formula" or token.meta["closed"]
        if (top or item) and settled and token.nesting >= 0 and token.map is not None:
            self.starts.append(token.map[0])
            self.firsts.append(len(self.blocks))

    def _take(self, token: Token, stream: Iterator[Token]) -> None:
        match token.type:
            case "paragraph_open":
                pieces = in_pieces(read_inlines(next(stream).children))
                for number, piece in enumerate(pieces):
                    self._add(Paragraph(piece, joined=number > 0), token)
            case "heading_open":
                level = int(token.tag[1:])
                self._add(Heading(level, read_inlines(next(stream).children)), token)
            case "fence":
                language = token.info.split(maxsplit=1)[0] if token.info else ""
                text = token.content.removesuffix("\n")
                self._add(Code(text, language, closed=token.meta["closed"]), token)
            case "code_block":
                self._add(Code(token.content.removesuffix("\n")), token)
            case "table_open":
                self._add(self._table(stream), token)
            case "display_formula":
                marks = token.markup, closing_mark(token.markup)
                self._add(DisplayFormula(token.content, marks), token)
            case "hr":
                self._add(Rule(), token)
            case _:
                self._open_or_close(token)

    def _open_or_close(self, token: Token) -> None:
        match token.type:
            case "blockquote_open":
                self.place.append(Quote())
            case "note_open":
                self.place.append(Note(token.info))
            case "bullet_list_open" | "ordered_list_open":
                self.lists.append(self._list(token))
            case "list_item_open":
                self._open_item(token)
            case "list_item_close":
                if isinstance(self.place[-1], Item) and self.place[-1].marker:
                    self._add(Paragraph(()), self.items[-1])  # no content, but a marker
                self.items.pop()
                self.place.pop()
            case "blockquote_close" | "note_close":
                self.place.pop()
            case "bullet_list_close" | "ordered_list_close":
                self.lists.pop()

    def _list(self, token: Token) -> ListState:
        if token.type == "bullet_list_open":
            depth = sum(1 for each in self.lists if each.bullet)
            return ListState(bullet=_BULLETS[min(depth, 2)])
        resumed = not self.blocks and not self.lists and token.markup == self.resume.delimiter
        number = self.resume.number if resumed else int(token.attrGet("start") or 1)
        if token.attrGet("start") == 0 and not resumed:
            number = 0
        return ListState(number=number, delimiter=token.markup)

    def _open_item(self, token: Token) -> None:
        line = token.map[0] if token.map else 0
        blank = not self.source[line - 1].strip(" >\t") if line else self.resume.after_blank
        task = token.meta.get("checked")
        self.items.append(token)
        self.place.append(Item(self.lists[-1].marker(), task, loose=blank))

    def _add(self, block: Block, token: Token) -> None:
        """Append a block with its place and lines; the markers in its place are used up."""
        start, end = token.map or (0, 0)
        lines = self.first_line + start, self.first_line + end
        self.blocks.append(replace(block, place=tuple(self.place), lines=lines))
        self.place = [_continued(container) for container in self.place]

    def _table(self, stream: Iterator[Token]) -> Table:
        align: list[Align] = []
        rows: list[list[tuple[Inline, ...]]] = []
        for token in stream:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type in {"th_open", "td_open"}:
                rows[-1].append(read_inlines(next(stream).children))
                if token.type == "th_open":
                    align.append(_ALIGN.get(str(token.attrGet("style") or ""), Align.NONE))
        return Table(tuple(align), tuple(rows[0]), tuple(tuple(row) for row in rows[1:]))


def _continued(container: Container) -> Container:
    """Return a container as the second and later blocks in it have it: without its marker."""
    match container:
        case Item(marker=marker) if marker[:1].isdigit():
            return Item(under=marker)
        case Item(under=under):
            return Item(under=under)
        case Note():
            return Note()
        case Quote():
            return container


def list_delimiter(block: Block) -> Resume | None:
    """Return the list that an item's first block belongs to, as what follows would resume it."""
    outer: Place = block.place[:1]
    if outer and isinstance(outer[0], Item) and outer[0].marker[:1].isdigit():
        marker = outer[0].marker
        return Resume(marker[-1], int(marker[:-1]))
    return None
