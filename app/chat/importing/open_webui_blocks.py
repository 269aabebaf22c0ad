"""What Open WebUI writes into an answer as HTML: thoughts, calls of tools, code that it ran.

Each is a ``<details type="…">`` among the words, its values escaped in attributes. Older programs
did not escape the thought inside, newer ones do.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

_BLOCK = re.compile(
    r'^[ \t]*<details\s+type="(reasoning|tool_calls|code_interpreter)"([^>\n]*)>'
    r"((?:(?!<details\s).)*?)</details>[ \t]*\n?",  # as far as the next: no end is no cost
    re.DOTALL | re.MULTILINE,
)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def read_answer(content: str) -> tuple[str, str]:
    """Return what an answer says, as Markdown, and what was thought before and in between."""
    thoughts: list[str] = []

    def replaced(block: re.Match[str]) -> str:
        kind, held = block[1], {name: unescape(text) for name, text in _ATTRIBUTE.findall(block[2])}
        body = block[3].split("</summary>", 1)[-1].strip("\n")
        if kind == "reasoning":
            thoughts.append(_thought(body))
            return ""
        return _call(held) if kind == "tool_calls" else _run(body, held)

    said = _BLOCK.sub(replaced, content)
    return said.strip() if said != content else content, "\n\n".join(filter(None, thoughts))


def _thought(body: str) -> str:
    """Return a thought without the marks of a quotation before its lines."""
    if body.lstrip().startswith("&gt;"):
        body = unescape(body)
    return "\n".join(re.sub("^> ?", "", line) for line in body.strip().splitlines())


def _call(held: dict[str, str]) -> str:
    """Return a call of a tool with its result as a block of JSON."""
    call = {"name": held.get("name", ""), "arguments": _value(held.get("arguments", ""))}
    if "result" in held:
        call["result"] = _value(held["result"])
    return _fenced(json.dumps(call, ensure_ascii=False), "json")


def _run(code: str, held: dict[str, str]) -> str:
    """Return code that was run, and below it what came out."""
    output = _value(held.get("output", ""))
    if not output:
        return f"{code}\n\n"
    shown = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    return f"{code}\n\n{_fenced(shown, '')}"


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n\n"


def _value(text: str) -> Any:
    """Return what JSON says, once or twice over; text that is none stays as it is."""
    value: Any = text
    for _ in range(2):
        if not isinstance(value, str):
            break
        try:
            value = json.loads(value)
        except ValueError:
            break
    return value
