"""What a finished text becomes: the cases of ``shared/cases/chat.md`` and more."""

from __future__ import annotations

import pytest

from app.rendering.blocks import (
    Align,
    Block,
    Code,
    DisplayFormula,
    Formula,
    Heading,
    Item,
    Note,
    Paragraph,
    Picture,
    Quote,
    Rule,
    Style,
    Table,
    Text,
    block_text,
)
from app.rendering.reader import Reader

READER = Reader()


def read(text: str) -> list[Block]:
    return READER.read(text)


def shown(text: str) -> str:
    return "\n".join(block_text(block) for block in read(text))


def pieces(text: str) -> tuple[object, ...]:
    (block,) = read(text)
    assert isinstance(block, Paragraph)
    return block.inlines


def bold(text: str) -> list[str]:
    return [p.text for p in pieces(text) if isinstance(p, Text) and p.style & Style.BOLD]


def test_M1_bold_closes_after_chinese_punctuation() -> None:
    assert bold("**历经10年发展，**年") == ["历经10年发展，"]
    assert bold("这是**我想做的事。**所以继续。") == ["我想做的事。"]
    assert "*" not in shown("这是**我想做的事。**所以继续。")


@pytest.mark.parametrize("mark", "，。、；：？！“”‘’（）【】《》—～…·「」『』")
def test_M2_bold_closes_after_every_chinese_mark(mark: str) -> None:
    assert bold(f"**真{mark}**她") == [f"真{mark}"]
    assert bold(f"她**{mark}真**") == [f"{mark}真"]


def test_M3_bold_works_in_japanese_and_korean() -> None:
    assert bold("これは**「重要」**です。") == ["「重要」"]
    assert bold("**마크다운(Markdown)**을") == ["마크다운(Markdown)"]


def test_two_bold_words_with_a_comma_between_stay_two() -> None:
    assert bold("**真**，**她**") == ["真", "她"]


@pytest.mark.parametrize(
    "text",
    [
        "from $5 to $10",
        "$10K flat, Phase 2 at $8K",
        "$80 + $50 = $130, but A only has $100.",
        "either $5/$10 or $5–$10, US$5 and A$6",
        "($5)-($10) and $HOME/$USER, $5 (or 5$)",
        "about $3 million a year or 4$",
    ],
)
def test_M4_prices_are_not_maths(text: str) -> None:
    assert pieces(text) == (Text(text),)


def test_M6_bold_prices_stay_prices() -> None:
    assert bold("pays **$1.50** now … makes **$4** later") == ["$1.50", "$4"]


def test_M8_formulas_are_found_in_all_their_marks() -> None:
    found = [
        p for p in pieces(r"$x^2$, \(x\), \[x\], $$x$$, 设$x$为 \$5") if isinstance(p, Formula)
    ]
    assert [f.source for f in found] == ["x^2", "x", "x", "x", "x"]
    assert [f.marks[0] for f in found] == ["$", r"\(", r"\[", "$$", "$"]
    assert shown(r"\$5") == "$5"


def test_display_formulas_keep_lines_that_look_like_lists() -> None:
    assert read("$$\na\n- b\n$$") == [DisplayFormula("a\n- b", lines=(0, 4))]
    (block,) = read("\\[\nx\n\\]")
    assert block == DisplayFormula("x", ("\\[", "\\]"), lines=(0, 3))


@pytest.mark.parametrize(
    "source",
    [
        "\\begin{align}\na &= b \\\\\n- c &= d\n\\end{align}",
        "\\begin{align*}\nx &= 1\n\\end{align*}.",
        "\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}",
        "\\begin{cases}\n\\begin{cases} a \\end{cases}\n\\end{cases}",
    ],
)
def test_M8_an_environment_without_dollars_is_a_formula(source: str) -> None:
    before, formula, after = read(f"So:\n{source}\nand on")
    assert isinstance(formula, DisplayFormula)
    assert (formula.source, formula.marks) == (source, ("", ""))
    assert (block_text(before), block_text(formula), block_text(after)) == ("So:", source, "and on")


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{align} is an environment",
        "\\begin{align} x \\end{align} is one line of it",
        "\\begin{itemize} \\end{itemize}",
        "\\begin{align}\nx\n\n\\end{align}",
        "write \\begin{align} x \\end{align}",
    ],
)
def test_words_about_an_environment_stay_words(text: str) -> None:
    assert not any(isinstance(block, DisplayFormula) for block in read(text))


def test_an_open_display_formula_is_text_once_the_reply_is_over() -> None:
    assert "$$" in shown("$$\nwords\n\nmore words")


M9 = """```markdown
# Title
```
npm install
```

```json
{"a": 1}
```
End.
```
"""


def test_M9_markdown_in_markdown_is_one_block_with_its_fences() -> None:
    (block,) = read(M9)
    assert isinstance(block, Code)
    assert block.text == M9.removeprefix("```markdown\n").removesuffix("\n```\n")


def test_a_markdown_block_without_inner_fences_ends_where_it_says() -> None:
    first, second, third = read("```markdown\n# T\n```\nThen:\n```py\nx\n```")
    assert block_text(first) == "# T"
    assert block_text(second) == "Then:"
    assert block_text(third) == "x"


def test_M10_four_backticks_hold_three() -> None:
    (block,) = read("````\n```ruby\nputs 1\n```\n`code`\n````")
    assert block_text(block) == "```ruby\nputs 1\n```\n`code`"


def test_M13_an_unclosed_fence_is_code() -> None:
    (block,) = read("```python\nprint(1)")
    assert block == Code("print(1)", "python", closed=False, lines=(0, 2))


def test_M19_less_than_is_shown_as_it_is() -> None:
    sql = "SELECT * FROM t WHERE a < b AND c > d"
    assert shown(sql.replace("*", "x")) == sql.replace("*", "x")
    assert shown(f"```sql\n{sql}\n```") == sql
    assert "&" not in shown("`a < b && c > d`").replace("&&", "")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](file:///etc/passwd)",
        "[x](data:text/html,hi)",
        "<h1>AAA</h1>",
        "[x](vbscript:x)",
    ],
)
def test_M20_tags_and_unsafe_links_are_text(text: str) -> None:
    assert pieces(text) == (Text(text),)


@pytest.mark.parametrize(
    "text",
    [
        "![x](https://host.invalid/p.png?leak=SECRET)",
        "![x][a]\n\n[a]: https://host.invalid/p.png?leak=SECRET",
    ],
)
def test_M23_images_are_addresses(text: str) -> None:
    assert pieces(text) == (Picture("x", "https://host.invalid/p.png?leak=SECRET"),)


def test_M23_an_html_image_is_text() -> None:
    text = "<img src=https://host.invalid/p.png?d=SECRET>"
    assert shown(text) == text


def test_M29_check_boxes_in_a_list() -> None:
    blocks = read("\n".join(f"- [{'x' if i % 2 else ' '}] a{i}" for i in range(30)))
    assert [b.place[0].task for b in blocks if isinstance(b.place[0], Item)] == [False, True] * 15
    assert block_text(blocks[3]) == "a3"


def test_lists_know_their_numbers_and_air() -> None:
    blocks = read("3. a\n4. b\n\n5. c\n   - d")
    assert [b.place[-1].marker for b in blocks if isinstance(b.place[-1], Item)] == [
        "3.",
        "4.",
        "5.",
        "•",
    ]
    assert [b.place[0].loose for b in blocks if isinstance(b.place[0], Item)][:3] == [
        False,
        False,
        True,
    ]


def test_an_empty_item_keeps_its_marker() -> None:
    assert [b.place for b in read("-\n- a")] == [(Item("•"),), (Item("•"),)]


def test_quotes_lists_and_code_name_their_place() -> None:
    blocks = read("> said\n> - one\n>   ```py\n>   x\n>   ```")
    assert [type(b) for b in blocks] == [Paragraph, Paragraph, Code]
    assert [b.place for b in blocks] == [
        (Quote(),),
        (Quote(), Item("•")),
        (Quote(), Item()),
    ]


def test_tables_keep_alignment_and_styles() -> None:
    (block,) = read("| a | b |\n| :- | -: |\n| **x**<br>y | 2 |")
    assert isinstance(block, Table)
    assert block.align == (Align.LEFT, Align.RIGHT)
    assert block.rows[0][0] == (Text("x", Style.BOLD), Text("\ny"))


def test_single_line_ends_are_kept() -> None:
    assert pieces("roses\nviolets") == (Text("roses\nviolets"),)


def test_headings_rules_and_strikes() -> None:
    heading, rule, paragraph = read("## T `c`\n---\n~~gone~~ `a  b`")
    assert heading == Heading(2, (Text("T "), Text("c", Style.CODE)), lines=(0, 1))
    assert isinstance(rule, Rule)
    assert paragraph == Paragraph(
        (Text("gone", Style.STRIKE), Text(" "), Text("a  b", Style.CODE)), lines=(2, 3)
    )


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see https://example.com/x, and", "https://example.com/x"),
        ("详见https://example.com。谢谢", "https://example.com"),
        ("https://a.com/x的页面", "https://a.com/x"),
        ("**https://a.com/b**", "https://a.com/b"),
        ("(https://en.wikipedia.org/wiki/Ink_(pen))", "https://en.wikipedia.org/wiki/Ink_(pen)"),
        ("<https://a.com>", "https://a.com"),
        ("HTTP://A.com/b?c=d&e=f#g", "HTTP://A.com/b?c=d&e=f#g"),
    ],
)
def test_bare_addresses_end_where_people_end_them(text: str, address: str) -> None:
    assert [p.text for p in pieces(text) if isinstance(p, Text) and p.link] == [address]


@pytest.mark.parametrize("text", ["README.md", "ftp://a.com", "xhttps://a.com", "https://", "a:b"])
def test_what_is_no_web_address_is_no_link(text: str) -> None:
    assert pieces(text) == (Text(text),)


def test_what_is_nested_too_deep_is_shown_as_written() -> None:
    assert shown(">" * 100 + "a") == ">" * 100 + "a"


def test_footnotes_are_raised_where_they_exist() -> None:
    text, note, more = read("Said[^1] and [^abc].\n\n[^1]: By *them*.\n\n    And more.\n")
    assert isinstance(text, Paragraph)
    assert text.inlines == (Text("Said"), Text("1", Style.RAISED), Text(" and [^abc]."))
    assert note.place == (Note("1"),)
    assert block_text(note) == "By them."
    assert more.place == (Note(),)
