"""Turns and texts for the transcript's benchmarks: what replies look like, repeatable."""

from __future__ import annotations

from datetime import UTC, datetime

from app.chat.turn import Turn, TurnState
from engine.contract import Role

_NOW = datetime(2026, 1, 5, 14, 32, tzinfo=UTC)

_SECTION = """## Part {n}

Running text with **bold words**, `inline_code`, a [link](https://example.com/{n}) and enough \
of it to take three lines of the reading column, as the replies of a model mostly do when they \
explain something at length and without hurry.

- a first point with some words
- a second point, **{n}**
- a third one

```python
def part_{n}(value: int) -> int:
    \"\"\"Return part {n}.\"\"\"
    return value * {n} + len("text")
```

| Name | Count | Share |
|---|---|---|
| one | {n} | 12 % |
| two | 2 | 8 % |

记住一句话：**芽越嫩，水越凉。**按 150 毫升的盖碗来算。

"""
_STORY = """The keeper of a lighthouse saw ships pass every night and wrote their names into his
book while waves broke over rocks far below until morning came with fog so thick that nobody could
have found harbour without light or bell since winter storms had taken both piers and most boats"""


def prose_of(characters: int) -> str:
    """Return paragraphs as a small model tells a story, of about so many characters."""
    words, paragraphs, size = _STORY.split(), list[str](), 0
    while size < characters:
        number = len(paragraphs)
        chosen = [words[(7 * number + 3 * k * k) % len(words)] for k in range(40 + number % 5 * 9)]
        sentences = (" ".join(chosen[k : k + 11]).capitalize() for k in range(0, len(chosen), 11))
        paragraphs.append(". ".join(sentences) + ".\n\n")
        size += len(paragraphs[-1])
    return "".join(paragraphs)[:characters]


def text_of(characters: int) -> str:
    """Return Markdown of about so many characters."""
    sections: list[str] = []
    size = 0
    while size < characters:
        sections.append(_SECTION.format(n=len(sections) + 1))
        size += len(sections[-1])
    return "".join(sections)[:characters]


def code_of(lines: int) -> str:
    """Return one code block of so many lines."""
    body = "".join(
        f"def function_{n}(value, other):\n    return value + other * {n}  # part {n}\n"
        for n in range(lines // 2)
    )
    return f"```python\n{body}```\n"


def a_question(number: int) -> Turn:
    """Return a question."""
    text = f"Question {number}: how does this work, and what does it cost?"
    return Turn(number, 1, number - 1, Role.USER, text, "", TurnState.COMPLETE, _NOW)


def a_reply(number: int, sections: int = 1, state: TurnState = TurnState.COMPLETE) -> Turn:
    """Return a reply of some sections."""
    text = text_of(sections * 500)
    return Turn(number, 1, number - 1, Role.ASSISTANT, text, "", state, _NOW, "SmolLM2")


def path_of(count: int, first: int = 1) -> list[Turn]:
    """Return a path of questions and replies in turn."""
    return [a_reply(first + k, 1 + k % 5) if k % 2 else a_question(first + k) for k in range(count)]
