"""Chats as files: Markdown and HTML to read, JSON to keep. The JSON is complete and comes back.

Markdown and HTML have the shown path; JSON has the whole tree, figures and token ids included.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.chat.attachment import Attachment, attachments_of
from app.chat.importing.inkstone import FORMAT
from app.chat.turn import Turn
from app.chat.turn_row import moment
from app.store.bundle import Bundle
from app.store.rows import TurnRow
from engine.contract import Role

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")


@dataclass(frozen=True, slots=True)
class ExportWords:
    """The words of the window's language that an exported file shows."""

    language: str  # "en", "zh-CN": for screen readers and fonts
    question: str
    answer: str
    instructions: str
    thought: str
    attached: str


@dataclass(frozen=True, slots=True)
class SaidChat:
    """What is written of a chat: its title, and the turns of its shown path."""

    title: str
    turns: tuple[Turn, ...]


def markdown_of(chats: Iterable[SaidChat], words: ExportWords) -> str:
    """Return the paths of chats as one Markdown text; what was written is not changed."""
    parts: list[str] = []
    for chat in chats:
        parts += [f"# {_one_line(chat.title)}"] if chat.title.strip() else []
        for turn in chat.turns:
            parts.append(f"## {speaker(turn, words)}")
            if turn.reasoning:
                quoted = "\n".join(f"> {line}".rstrip() for line in turn.reasoning.splitlines())
                parts.append(f"> **{words.thought}**\n>\n{quoted}")
            parts += [f"**{words.attached}** {_fenced(each)}" for each in turn.attachments]
            parts.append(_closed(turn.content.strip("\n")))
            parts += _calls(turn)
    return "\n\n".join(filter(None, parts)) + "\n"


def html_of(
    chats: Sequence[SaidChat], words: ExportWords, render: Callable[[str], str], style: str = ""
) -> str:
    """Return the paths of chats as one HTML page that needs nothing else and fetches nothing.

    Args:
        chats: one or several.
        words: of the window's language.
        render: makes safe HTML of a reply's Markdown: no raw HTML, no scripts. Pictures are
            stopped by the page's own rules, whatever it makes.
        style: CSS that what it makes needs.
    """
    body = "\n".join(
        f"<h1>{html.escape(_one_line(chat.title))}</h1>\n"
        + "\n".join(_article(turn, words, render) for turn in chat.turns)
        for chat in chats
    )
    name = html.escape(_one_line(chats[0].title))
    language = html.escape(words.language)
    return _PAGE.format(language=language, title=name, style=_STYLE + style, body=body)


def json_of(bundles: Sequence[Bundle]) -> str:
    """Return whole chats as JSON, which ``app.chat.importing`` reads back as they were."""
    held = {"inkstone": FORMAT, "chats": [_chat(bundle) for bundle in bundles]}
    text = json.dumps(held, indent=1, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate somewhere: only an escape can hold it
        return json.dumps(held, indent=1)
    return text


def _chat(bundle: Bundle) -> dict[str, Any]:
    row = bundle.row
    return {
        "title": row.title,
        "title_by": row.title_by,
        "created": row.created,
        "updated": row.updated,
        "folder": bundle.folder,
        "pinned": row.pinned,
        "archived": row.archived,
        "tags": row.tags.split("\n") if row.tags else [],
        "options": _object(row.options),
        "shown": {str(parent): child for parent, child in bundle.choices.items()},
        "turns": [_turn(turn) for turn in bundle.turns],
    }


def _turn(turn: TurnRow) -> dict[str, Any]:
    values: dict[str, Any] = {
        "id": turn.id,
        "parent": turn.parent,
        "role": turn.role,
        "content": turn.content,
        "reasoning": turn.reasoning,
        "tool_calls": turn.tool_calls,
        "state": turn.state,
        "created": turn.created,
        "time": moment(turn.created).isoformat(timespec="seconds"),  # for people, not read back
        "model": turn.model,
        "figures": _object(turn.figures),
        "fault": _object(turn.fault),
        "ids": list(turn.ids),
        "attachments": [asdict(each) for each in attachments_of(turn.attachments)],
    }
    return {name: value for name, value in values.items() if value not in ("", None, {}, [])}


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _closed(content: str) -> str:
    """Close a code block that was left open, so that it does not swallow the next message."""
    fence = ""
    for line in content.splitlines():
        marks = _FENCE.match(line)
        if marks and not fence:
            fence = marks[1]
        elif marks and marks[1].startswith(fence) and not marks[2].strip():
            fence = ""
    return f"{content}\n{fence}" if fence else content


def _calls(turn: Turn) -> list[str]:
    """Return the tools that a reply called, each as a block of code."""
    return [f"```json\n{line}\n```" for line in turn.tool_calls.split("\n") if line.strip()]


def _fenced(file: Attachment) -> str:
    fence = "`" * (max([2, *map(len, re.findall("`{3,}", file.text))]) + 1)
    return f"{_one_line(file.name)}\n\n{fence}\n{file.text.strip()}\n{fence}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def speaker(turn: Turn, words: ExportWords) -> str:
    """Return who said a turn, the model by its name."""
    match turn.role:
        case Role.USER:
            return words.question
        case Role.SYSTEM:
            return words.instructions
        case Role.ASSISTANT | Role.TOOL:
            return f"{words.answer} · {turn.model}" if turn.model else words.answer


def _article(turn: Turn, words: ExportWords, render: Callable[[str], str]) -> str:
    said = turn.role is Role.ASSISTANT
    content = (
        render("\n\n".join([_closed(turn.content), *_calls(turn)]))
        if said
        else f"<pre>{html.escape(turn.content)}</pre>"
    )
    files = "".join(
        f"<details><summary>{html.escape(words.attached)} {html.escape(_one_line(each.name))}"
        f"</summary><pre>{html.escape(each.text)}</pre></details>"
        for each in turn.attachments
    )
    thought = ""
    if turn.reasoning:
        thought = (
            f"<details><summary>{html.escape(words.thought)}</summary>"
            f"<pre>{html.escape(turn.reasoning)}</pre></details>"
        )
    when = turn.created.isoformat(timespec="minutes")
    name = html.escape(speaker(turn, words))
    return (
        f'<article class="{turn.role.value}"><h2 class="who">{name}'
        f' <time datetime="{when}">{when[:16].replace("T", " ")}</time></h2>'
        f"{thought}{files}{content}</article>"
    )


# The policy stops scripts, pictures and anything else from the network, should a renderer fail to.
_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title><style>{style}</style></head>
<body>
{body}
</body></html>
"""
_STYLE = (
    ":root{color-scheme:light dark}@page{margin:16mm}"
    "body{max-width:45rem;margin:2rem auto;padding:0 1rem;font:15px/1.65 system-ui,sans-serif;"
    "background:#fbfbf8;color:#1b2224;overflow-wrap:anywhere}article{margin:1.5rem 0}"
    "h1{font-size:1.6rem}article h1{font-size:1.35rem}article h2{font-size:1.2rem}"
    "article h3{font-size:1.1rem}article h4,article h5,article h6{font-size:1rem}"
    "article .who{font-size:.85rem;color:#465052}"
    "time{font-weight:400;color:#596465}a{color:#1d6b56}.user{background:#e7eae5;"
    "border-radius:10px;padding:.25rem 1rem}pre{white-space:pre-wrap;font:inherit}"
    "code,pre code{font:13px/1.5 ui-monospace,monospace}:not(pre)>code{background:#e7eae5;"
    "border-radius:4px;padding:.1em .3em}article.assistant pre{background:#f5f6f2;padding:.75rem;"
    "border-radius:10px;overflow-x:auto}.table{overflow-x:auto;margin:.75rem 0}"
    "table{border-collapse:collapse;border-top:2px solid;border-bottom:2px solid;"
    "overflow-wrap:normal}td,th{padding:.3rem .8rem;border-bottom:1px solid #dce0da}"
    "th{border-bottom-color:currentColor;text-align:start}"
    ".formula{text-align:center;margin:.75rem 0;overflow-x:auto}details{margin:.5rem 0}"
    "summary{cursor:pointer;color:#465052}details pre{font:13px/1.5 ui-monospace,monospace}"
    "blockquote{border-left:2px solid #808984;margin-left:0;padding-left:1rem}"
    ".note{position:relative;padding-left:1.5rem;font-size:.9em}.note>sup{position:absolute;left:0}"
    # each paragraph reads in the direction of its first letter; code from the left
    "p,li,td,th,h1,h2,h3,h4,h5,h6,.user pre{unicode-bidi:plaintext}pre code{unicode-bidi:normal}"
    "@media(prefers-color-scheme:dark){body{background:#171c1d;color:#e5e9e4}.user,"
    ":not(pre)>code{background:#202728}article.assistant pre{background:#121717}"
    "article .who,time,summary{color:#b4bdb9}a{color:#7fc8a9}td{border-bottom-color:#2b3334}}"
    "@media print{body{background:#fff;color:#000;max-width:none;margin:0;padding:0}"
    "tr,.formula,svg{break-inside:avoid}h1,h2,h3,h4,.who{break-after:avoid}"
    ".table{overflow:visible}table{font-size:.85em}td,th{padding:.25rem .4rem;"
    "overflow-wrap:anywhere}}"
)
