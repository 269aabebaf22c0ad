"""Files that go with a message: values, their way into a row and back, and what the model reads.

An attachment holds exactly the text that the model sees of a file. How much of the file that is
stands beside it, so that nothing is ever left out without a word: not for the person, not for the
model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Extent(StrEnum):
    """What of a file an attachment holds."""

    WHOLE = "whole"
    BEGINNING = "beginning"
    RELEVANT = "relevant"  # the passages that have most to do with the question
    PARTS = "parts"  # chosen pages, sheets, slides or chapters


@dataclass(frozen=True, slots=True)
class Attachment:
    """What the model sees of one file.

    Attributes:
        name: the file's name, as it came; it is shown and quoted, never followed.
        kind: of ``app.documents.DocumentKind``, as text: an older program may not know it.
        text: what the model reads.
        extent: how that was chosen.
        chosen: numbers of parts as a person writes them, "1–3, 7"; empty for all.
        total_parts: how many parts the file has.
        share: of the file's characters, 0 to 1.
        tokens: as the engine counted them; 0 where it has not.
        source: the name under which the whole file is kept, while the message is not sent.
    """

    name: str
    kind: str
    text: str
    extent: Extent = Extent.WHOLE
    chosen: str = ""
    total_parts: int = 1
    share: float = 1.0
    tokens: int = 0
    source: str = ""


Files = tuple[Attachment, ...]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message that has not been sent: its words, its files, and how its reply has to begin."""

    text: str = ""
    attachments: tuple[Attachment, ...] = field(default=())
    begins: str = ""

    @property
    def is_empty(self) -> bool:
        """Say whether there is nothing to send."""
        return not self.text.strip() and not self.attachments


_EXTENTS = {extent.value: extent for extent in Extent}
_RUNS = re.compile(r"`{3,}")


def with_files(text: str, attachments: Sequence[Attachment]) -> str:
    """Return a message as the model reads it: the files, each fenced and named, then the words.

    The fence is longer than any run of backticks inside, so that a file cannot close it. Control
    tokens in a file stay plain text, because the engine encodes the content of a message so.
    """
    if not attachments:
        return text
    blocks = [file_block(each) for each in attachments]
    return "\n\n".join([*blocks, text]) if text else "\n\n".join(blocks)


def file_block(attachment: Attachment) -> str:
    """Return one file as the model reads it."""
    text = attachment.text.strip("\n")
    fence = "`" * (max([2, *map(len, _RUNS.findall(text))]) + 1)
    return f"Attached file {_quoted(attachment.name)}{_told(attachment)}:\n{fence}\n{text}\n{fence}"


def attachments_text(attachments: Sequence[Attachment]) -> str:
    """Return attachments as the JSON text that a column holds; nothing for none."""
    held = [asdict(each) for each in attachments]
    return json.dumps(held, ensure_ascii=False) if held else ""


def attachments_of(text: str) -> tuple[Attachment, ...]:
    """Read what ``attachments_text`` wrote; what cannot be read is left out."""
    try:
        held = json.loads(text or "[]")
    except ValueError:
        return ()
    items = held if isinstance(held, list) else []
    return tuple(_attachment(each) for each in items if isinstance(each, dict))


def _attachment(held: dict[str, Any]) -> Attachment:
    share, tokens, parts = held.get("share"), held.get("tokens"), held.get("total_parts")
    return Attachment(
        name=str(held.get("name", "")),
        kind=str(held.get("kind", "text")),
        text=str(held.get("text", "")),
        extent=_EXTENTS.get(str(held.get("extent")), Extent.WHOLE),
        chosen=str(held.get("chosen", "")),
        total_parts=parts if type(parts) is int else 1,
        share=float(share) if isinstance(share, int | float) else 1.0,
        tokens=tokens if type(tokens) is int else 0,
        source=str(held.get("source", "")),
    )


def _quoted(name: str) -> str:
    """Return a name on one line that cannot end its own quotation."""
    shown = "".join(char if char.isprintable() else " " for char in name)
    return '"' + shown.replace('"', "'").replace("`", "'")[:200] + '"'


def _told(attachment: Attachment) -> str:
    """Say what of the file follows, so that the model does not take a part for the whole."""
    percent = max(1, round(attachment.share * 100))
    match attachment.extent:
        case Extent.WHOLE:
            return ""
        case Extent.BEGINNING:
            return f" (only its beginning, {percent} % of it)"
        case Extent.RELEVANT:
            return f" (only passages of it, {percent} % of it)"
        case Extent.PARTS:
            return f" (only parts {attachment.chosen} of {attachment.total_parts})"
