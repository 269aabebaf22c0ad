"""Saved pages: the grammar of the screen, nothing that a browser would fetch or run."""

from __future__ import annotations

import pytest

from app.rendering.html import code_style, markdown_html

# ziamath reads its font by a deprecated function when it is imported
pytestmark = pytest.mark.filterwarnings("ignore:path is deprecated")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**粗体。**后面", "<p><strong>粗体。</strong>后面</p>\n"),
        ("| a |\n|--:|\n| 1 |", '<td style="text-align:right">1</td>'),
        (
            "```python\nx < 1\n```",
            '<code class="language-python">x &lt; <span class="t-ochre">1</span>\n</code></pre>',
        ),
        ("```\na  <b\n\n c\n```", "<pre><code>a  &lt;b\n\n c\n</code></pre>"),
        ("so $a<b$ holds", 'so <svg role="img" aria-label="$a&lt;b$" style="vertical-align:-'),
        ("$$\nx^2\n$$", '<div class="formula"><svg role="img" aria-label="$$x^2$$"'),
        ("$$\n\\broken{\n$$", "<pre><code>$$\\broken{$$</code></pre>"),
        (r"\(x\)", r'<svg role="img" aria-label="\(x\)"'),
        ("it costs $5 or $6", "<p>it costs $5 or $6</p>\n"),
        ("one\ntwo", "<p>one<br />\ntwo</p>"),
        ("| a |\n|---|\n| 1 |", '<div class="table"><table>'),
        ("said[^1]\n\n[^1]: by whom", "said<sup>1</sup></p>"),
        ("said[^1]\n\n[^1]: by whom", '<section class="note"><sup>1</sup>\n<p>by whom</p>'),
        (
            "![a cat](https://example.org/cat.png)",
            '<a href="https://example.org/cat.png">a cat</a>',
        ),
    ],
)
def test_markdown_becomes_html(text: str, html: str) -> None:
    assert html in markdown_html(text)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://example.org/x.png)",
        "[x](javascript:alert(1))",
        '![x](<x" onerror="alert(1)>)',
        '[^"><script>]\n\n[^"><script>]: x',
        "$<script>$",
        r"$\text{<script>alert(1)</script>}$",
        r"$\href{javascript:alert(1)}{x}$",
        '$x" onerror="alert(1)$',
        "```<script>\nx\n```",
    ],
)
def test_nothing_in_it_runs_or_is_fetched(text: str) -> None:
    html = markdown_html(text)
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert '" onerror="' not in html


def test_a_formula_takes_the_ink_of_its_page_and_names_no_other_place() -> None:
    html = markdown_html(r"$\frac{a}{2}$")
    assert 'fill="currentColor"' in html
    assert 'fill="black"' not in html
    assert "<use" not in html
    assert "url(" not in html


def test_the_colours_of_code_follow_the_screen_of_whoever_reads() -> None:
    tones = ("ink3", "azurite", "accent", "ochre", "rouge")
    style = code_style(dict.fromkeys(tones, "#111111"), dict.fromkeys(tones, "#eeeeee"))
    assert style.startswith(".t-ink3{color:#111111}")
    assert style.endswith(".t-rouge{color:#eeeeee}}")


def test_for_the_clipboard_a_formula_is_its_source() -> None:
    html = markdown_html("$x^2$\n\n$$\ny\n$$", outlines=False)
    assert "<code>$x^2$</code>" in html
    assert "<code>$$y$$</code>" in html
    assert "<svg" not in html
