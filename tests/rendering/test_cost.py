"""Hostile input costs milliseconds a kilobyte.

Measured in process time, so that a busy machine does not raise an alarm. The bound is some five
times what this costs here (the dearest, ``![``, takes 28 ms a kilobyte); what it must catch is
quadratic growth, which is checked by doubling: twice the text may take thrice the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from app.rendering.reader import Reader

READER = Reader()


def cost(text: str) -> float:
    """Seconds of this process, the best of three."""
    best = 9e9
    for _ in range(3):
        start = time.process_time()
        READER.read(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("M24", "[*" + "<p></p>" * 20),
        ("M27", "_8:_:8__88::" * 80 + "<br />" + "8_:" * 20),
        ("M29", "\n".join("- [ ] a" for _ in range(30))),
        ("M29 without text", "\n".join("- [ ]" for _ in range(30))),
    ],
)
def test_M24_M27_M29_cost_milliseconds(case: str, text: str) -> None:
    assert cost(text) < 0.1


HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": lambda n: "[" * n,
    "images": lambda n: "![" * n,
    "links": lambda n: "[a](" * n,
    "stars": lambda n: "*a_ " * n,
    "wide stars": lambda n: "汉**粗，**" * n,
    "backticks": lambda n: "".join("`" * (i % 40 + 1) + " " for i in range(n // 8)),
    "dollars": lambda n: "$a " * n,
    "double dollars": lambda n: "$$a " * n,
    "formula openers": lambda n: r"\(a " * n,
    "open formulas": lambda n: "$$\nx\n" * n,
    "open environments": lambda n: "\\begin{align}\nx\n" * n,
    "tags": lambda n: "<br " * n,
    "addresses": lambda n: "http://" * n,
    "address brackets": lambda n: "http://a.b/" + ")" * n,
    "quotes": lambda n: "> " * n + "a",
    "fences": lambda n: "```markdown\n" + "```\nx\n" * n,
    "table rows": lambda n: "a|b\n-|-\n" + "x\n" * n,
    "definitions": lambda n: "[a]: " * n,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_twice_the_text_takes_about_twice_the_time(name: str) -> None:
    make = HOSTILE[name]
    small, large = cost(make(400)), cost(make(1600))
    assert large < max(small, 0.001) * 9, "four times the text: linear is 4, quadratic 16"
