"""Saved pages: the grammar of the screen, nothing that a browser would fetch or run."""

from __future__ import annotations

import pytest

from app.rendering.html import markdown_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**粗体。**后面", "<p><strong>粗体。</strong>后面</p>\n"),
        ("| a |\n|--:|\n| 1 |", '<td style="text-align:right">1</td>'),
        ("```python\nx < 1\n```", '<pre><code class="language-python">x &lt; 1\n</code></pre>'),
        ("so $a<b$ holds", "<code>$a&lt;b$</code>"),
        ("$$\nx^2\n$$", "<pre><code>$$x^2$$</code></pre>"),
        (r"\(x\)", r"<code>\(x\)</code>"),
        ("it costs $5 or $6", "<p>it costs $5 or $6</p>\n"),
        ("said[^1]\n\n[^1]: by whom", "said<sup>1</sup></p>"),
        ("said[^1]\n\n[^1]: by whom", "<section><sup>1</sup>\n<p>by whom</p>"),
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
        "```<script>\nx\n```",
    ],
)
def test_nothing_in_it_runs_or_is_fetched(text: str) -> None:
    html = markdown_html(text)
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert '" onerror="' not in html
