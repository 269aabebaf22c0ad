"""LaTeX is drawn where it can be; everything else is a known no, never an exception."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rendering.formulas import LONGEST, draw

# ziamath reads its font by a deprecated function when it is imported
pytestmark = pytest.mark.filterwarnings("ignore:path is deprecated")

COMMANDS = r"""
\frac \sqrt \sum \hat \begin{matrix} \end{matrix} \begin{cases} \end{cases} \\ \left( \right)
\text{x} \binom \not \xrightarrow \substack \limits \hline \tag{1}
\ce{x} { } ^ _ & a 1 + [ ] % # $ ' ~ | 中
"""


@pytest.mark.parametrize(
    "source",
    [
        r"t = \frac{\ln 2}{\ln(1+r)}",
        r"\begin{pmatrix}1&2\\3&4\end{pmatrix}",
        r"\begin{cases}a & x>0\\b\end{cases}",
        r"\begin{aligned}a&=b\\c&=d\end{aligned}",
        r"\sum_{i=1}^n x_i \to \mathbb{R}",
        r"\text{中文}",
    ],
)
def test_M8_formulas_are_drawn(source: str) -> None:
    sketch = draw(source, 18, display=True)
    assert sketch is not None
    assert sketch.width > 20
    assert sketch.ascent > 5
    assert b"<use" not in sketch.svg, "QtSvg draws none"


def test_a_deep_formula_reaches_below_the_baseline() -> None:
    shallow, deep = draw("x", 18, display=False), draw(r"\frac{a}{b}", 18, display=True)
    assert shallow is not None
    assert deep is not None
    assert shallow.descent < 3 < deep.descent


@pytest.mark.parametrize(
    "source", [r"\frac{1", r"\left( x", "", "   ", "x" * (LONGEST + 1), r"\sqrt{" * 300]
)
def test_what_cannot_be_drawn_is_none(source: str) -> None:
    assert draw(source, 18, display=True) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(COMMANDS.split()), max_size=6))
def test_no_source_raises(parts: list[str]) -> None:
    draw(" ".join(parts), 18, display=False)
