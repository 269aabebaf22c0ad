"""LaTeX is drawn where it can be; everything else is a known no, never an exception."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from threading import Lock
from time import sleep

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rendering.formulas import LONGEST, draw
from tests.rendering.formulas_of_models import ALL

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
    ],
)
def test_M8_formulas_are_drawn(source: str) -> None:
    sketch = draw(source, 18, display=True)
    assert sketch is not None
    assert sketch.width > 20
    assert sketch.ascent > 5
    assert b"<use" not in sketch.svg, "QtSvg draws none"


DRAWN = [
    r"\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}",
    r"\begin{vmatrix} 1 & 2 \\ 3 & 4 \end{vmatrix} = -2",
    r"\begin{bmatrix} x \\[2pt] y \end{bmatrix} \begin{smallmatrix} a & b \end{smallmatrix}",
    r"f(x) = \begin{cases} x^2 & \text{if } x \ge 0 \\ -x & \text{otherwise} \end{cases}",
    r"\begin{align*} \nabla \cdot \mathbf{E} &= \frac{\rho}{\varepsilon_0} \\ a &= 0 \end{align*}",
    r"\begin{equation} a^2 + b^2 = c^2 \end{equation}",
    r"\begin{alignat}{2} a &= b \\ c &= d \end{alignat} \begin{flalign*} e &= f \end{flalign*}",
    r"\begin{eqnarray} a &=& b \\ c &=& d \end{eqnarray} \begin{dcases} a & b \end{dcases}",
    r"\begin{multline} a \\ + b \end{multline}",
    r"\begin{array}{c|cc} & 0 & 1 \\ \hline 0 & 0 & 1 \end{array}",
    r"\operatorname{softmax}(z)_i = \frac{e^{z_i}}{\sum_j e^{z_j}}",
    r"\operatorname*{argmin}_{w} \|Xw - y\|_2^2 + \lambda \|w\|_1",
    r"\mathop{\mathrm{argmax}}_{x} f(x)",
    r"\mathbb{E}[X] = \int_\Omega X \, \mathrm{d}P, \mathcal{L}, \mathfrak{g}, \boldsymbol{\alpha}",
    r"\overline{z} \cdot \vec{v} + \tilde{x} - \ddot{q} + \widehat{ABC}",
    r"\underbrace{1 + 2 + \cdots + n}_{n \text{ terms}} \overbrace{a+b}^{c}",
    r"\dbinom{n}{k} + \tbinom{n}{k} = \frac{n!}{k!(n-k)!}",
    r"\color{red}{x} + \textcolor{blue}{y} + \colorbox{yellow}{z} + \boxed{w}",
    r"a = b \tag{1} \label{eq:1}",
    r"a = b \nonumber",
    r"x \in \R^n, n \in \N",
    r"\text{速度} = \frac{\text{路程}}{\text{时间}}",
    r"\text{скорость} = \frac{s}{t}",
    r"\left\langle \psi \middle| \phi \right\rangle \ket{\psi} \Biggl( x \Biggr)",
    r"A \xrightarrow{f} B \xleftarrow[g]{h} C \overset{a}{=} \underset{c}{d}",
    r"\cfrac{1}{1+\cfrac{1}{1+\cfrac{1}{x}}} \sqrt[3]{x^3 + y^3}",
    r"\cancel{x} + \bcancel{y} \implies q \iff r",
    r"\sum_{\substack{0<i<n \\ i \ne k}} a_i \pmod{n}",
    r"\phantom{abc} y \hspace{1em} z \vspace{1em}",
    r"\newcommand{\half}[1]{\frac{#1}{2}} x \in \half{3}",
    r"H_2O \rightarrow H^+ + OH^-, 90^\circ, 1{,}000 \times 10^{-3}\,\text{m/s}",
    r"\hdots \ldots \dotsb \vdots, x \%, \$5, \#3, \{b\}",
    "x^{2^{2^{2}}}_{i_{j_{k}}}" + " + y_{1}" * 60,
]


@pytest.mark.usefixtures("qapp")  # whose fonts have what the formula's own has not
@pytest.mark.parametrize("source", DRAWN)
def test_formulas_as_models_write_them_are_drawn(source: str) -> None:
    sketch = draw(source, 18, display=True)
    assert sketch is not None
    assert 5 < sketch.width < 4_000, "a tag stands beside its formula"


@pytest.mark.parametrize(
    "source",
    [
        r"\foo{x} + 1",
        r"x + \undefinedmacro",
        r"\ce{2H2 + O2 §§ 2H2O}",
        r"\SI{5}{\meter\per\second}",
        r"\begin{rcases} a \\ b \end{rcases}",
        r"\begin{tikzpicture} \draw (0,0); \end{tikzpicture}",
        r"\frac{1}{2} \includegraphics{x.png}",
        r"\begin{matrix} a & b",
    ],
)
def test_a_formula_is_drawn_whole_or_not_at_all(source: str) -> None:
    assert draw(source, 18, display=True) is None


@pytest.mark.usefixtures("qapp")
def test_chinese_words_are_drawn_and_not_boxes() -> None:
    two, one = (draw(rf"\text{{{words}}}", 18, display=True) for words in ("面积", "面"))
    assert two is not None
    assert one is not None
    assert 1.8 < two.width / one.width < 2.2
    paths = [draw(rf"\text{{{word}}}", 18, display=True) for word in "面积"]
    assert len({sketch.svg for sketch in paths if sketch is not None}) == 2


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


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("source", ALL)
def test_what_models_write_is_drawn_and_of_a_sane_size(source: str) -> None:
    sketch = draw(source, 18, display=True)
    assert sketch is not None
    assert sketch.width < 2_000
    assert sketch.height < 160, "no bracket grows without a reason"


def svg_of(source: str, *, display: bool = True) -> str:
    sketch = draw(source, 18, display=display)
    assert sketch is not None, source
    return sketch.svg.decode()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"a \not= b", r"a \neq b"),
        (r"x \not\in A", r"x \notin A"),
        (r"\lvert a \rvert", r"|a|"),
        (r"\lVert a \rVert", r"\|a\|"),
        (r"\begin{align} a &= b \end{align}", r"\begin{align*} a &= b \end{align*}"),
        (r"\color{red}{x} + y", r"\textcolor{red}{x} + y"),
        (r"\operatorname*{arg\,max}_x f", r"\arg\max_x f"),
        (r"\text{of $x$ only}", r"\text{of }x\text{ only}"),
        (r"\binom{n+1}{k_{i}}", r"\dbinom{n+1}{k_{i}}"),
    ],
)
def test_two_ways_to_write_the_same_are_drawn_alike(one: str, other: str) -> None:
    assert svg_of(one) == svg_of(other)


def test_operators_have_air_and_signs_have_none() -> None:
    def width(source: str) -> float:
        sketch = draw(source, 18, display=True)
        assert sketch is not None
        return sketch.width

    for sign in (r"\times", r"\cup", r"\sim", r"\perp", r"\implies"):
        assert width(rf"a {sign} b") > width("ab") + 15, sign  # pixels: the sign, and air
    assert width("(-b)") < width("(a-b)") - width("a") - 3, "of a number, and between two"


def test_lines_of_an_array_are_drawn() -> None:
    ruled = r"\begin{array}{%s} a & b \\ \hline c & d \end{array}"
    rects = [svg_of(ruled % columns).count("<rect") for columns in ("cc", "c|c", "|c|c|")]
    assert rects == [1, 2, 4]
    assert svg_of(r"\begin{array}{cc} a & b \end{array}").count("<rect") == 0


def test_colours_are_kept_apart_from_ink() -> None:
    fills = set(re.findall(r'fill="([^"]*)"', svg_of(r"a + \textcolor{blue}{\frac{b}{2}}")))
    assert fills == {"black", "blue"}


@pytest.mark.usefixtures("qapp")
def test_chinese_may_follow_a_digit_or_a_space_of_the_formulas_own_font() -> None:
    svg_of(r"\frac{120\text{ 千米}}{2小时}")


def test_formulas_are_drawn_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library reads its font through one position in one file: two at once lose letters."""
    inside, most, counting = 0, 0, Lock()
    tex = import_module("ziamath.tex")
    really = tex.tex2mml

    def counted(*args: object, **kwargs: object) -> object:
        nonlocal inside, most
        with counting:
            inside += 1
            most = max(most, inside)
        sleep(0.002)  # long enough for another thread to come in, were it let in
        made = really(*args, **kwargs)
        with counting:
            inside -= 1
        return made

    monkeypatch.setattr(tex, "tex2mml", counted)
    with ThreadPoolExecutor(4) as pool:
        sketches = list(pool.map(lambda n: draw(f"x_{{n{n}}}^2", 18, display=True), range(12)))
    assert None not in sketches
    assert most == 1
