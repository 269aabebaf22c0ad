r"""LaTeX as models write it, made ready for the library that draws it; and what it would lose.

What the library does not know it draws half: an unknown macro as its name, an unknown environment
without its brackets, ``\mathop`` without its words. A formula that is half there is worse than its
source, so each is held to its letters: all of them must come out again.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from unicodedata import normalize

from app.rendering.chemistry import with_chemistry

# what has no meaning in a single formula, or that other programs write in another way
_REWRITTEN = (
    (re.compile(r"\\label\s*\{[^{}]*\}|\\(nonumber|notag|allowbreak)(?![A-Za-z])"), ""),
    (re.compile(r"\\(require|usepackage)\s*\{[^{}]*\}|\\vspace\*?\s*\{[^{}]*\}"), ""),
    (re.compile(r"\\tag\*\s*\{([^{}]*)\}"), r"\\qquad \\text{\1}"),
    (re.compile(r"\\tag\s*\{([^{}]*)\}"), r"\\qquad \\text{(\1)}"),
    (re.compile(r"\\(?:eqref|ref)\s*\{([^{}]*)\}"), r"\\text{(\1)}"),
    (re.compile(r"\\colorbox\s*\{[^{}]*\}\s*\{([^{}$]*)\}"), r"\\text{\1}"),
    (re.compile(r"\\fcolorbox\s*\{[^{}]*\}\s*\{[^{}]*\}\s*\{([^{}$]*)\}"), r"\\boxed{\\text{\1}}"),
    (re.compile(r"\\(begin|end)\s*\{align\}"), r"\\\1{align*}"),  # numbers are written or not there
    (re.compile(r"\\color\s*(\{[^{}]*\})\s*(?=\{)"), r"\\textcolor\1"),
    (re.compile(r"\\operatorname\*\s*\{\s*arg\s*(?:\\[,;: ]|~)\s*(max|min)\s*\}"), r"\\arg\\\1"),
    (
        re.compile(r"\\mathop\s*\{\s*\\(?:mathrm|text|rm|operatorname)\b\s*\{?([^{}]*)\}?\s*\}"),
        r"\\operatorname*{\1}",
    ),
    (re.compile(r"\\(hdots|dotsc|dotso)(?![A-Za-z])"), r"\\ldots "),
    (re.compile(r"\\(dotsb|dotsm|dotsi)(?![A-Za-z])"), r"\\cdots "),
    (re.compile(r"\\mathbbm\b|\\mathds\b"), r"\\mathbb"),
    (re.compile(r"\\begin\s*\{align(?:ed)?at\*?\}\s*\{\d+\}"), r"\\begin{aligned}"),
    (re.compile(r"\\end\s*\{align(?:ed)?at\*?\}"), r"\\end{aligned}"),
    (re.compile(r"\\(begin|end)\s*\{flalign\*?\}"), r"\\\1{aligned}"),
    (re.compile(r"\\begin\s*\{eqnarray\*?\}"), r"\\begin{array}{rcl}"),
    (re.compile(r"\\end\s*\{eqnarray\*?\}"), r"\\end{array}"),
    (re.compile(r"\\(begin|end)\s*\{multline\*?\}"), r"\\\1{gathered}"),
    (re.compile(r"\\(begin|end)\s*\{dcases\*?\}"), r"\\\1{cases}"),
)
_BINOMIAL = re.compile(r"\\binom(?![A-Za-z])")
_WORDS = re.compile(r"\\text\s*\{([^{}]*\$[^{}$]+\$[^{}]*)\}")
_SETS = re.compile(r"\\([RNZQC])(?![A-Za-z])")  # ℝ ℕ ℤ ℚ ℂ as many write them
_DEFINES = re.compile(r"\\(?:newcommand|renewcommand|def|DeclareMathOperator)(?![A-Za-z])")
_ENVIRONMENT = re.compile(r"\\begin\s*\{([^{}]*)\}")
_DRAWN = frozenset(
    {"align", "aligned", "array", "cases", "displaylines", "eqalign", "equation", "gather"}
    | {"gathered", "matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix"}
    | {"smallmatrix", "split", "substack"}
)
# what is told to LaTeX and not to the reader: sizes, colours, columns, the names of environments
_TOLD = re.compile(
    r"\\(?:begin|end)\s*\{[^{}]*\}(?:\s*\{[^{}]*\})?|\\\\\s*\[[^\]]*\]"
    r"|\\(?:hspace|mspace|color|textcolor|fcolorbox|phantom|hphantom|vphantom)\*?\s*\{[^{}]*\}"
    r"|\\(?:kern|mkern|hskip|mskip)\s*-?[\d.]+\s*[a-z]{2}|\\[A-Za-z]+"
)
_TAG = re.compile(r"<[^>]*>")
_MACRO = re.compile(r"\\[A-Za-z]")


def prepared(source: str, *, display: bool) -> str:
    """Return a formula as the library can read it."""
    source = with_chemistry(source)
    for pattern, other in _REWRITTEN:
        source = pattern.sub(other, source)
    source = _BINOMIAL.sub(r"\\dbinom" if display else r"\\tbinom", source)
    source = _WORDS.sub(_with_formulas, source)
    if not _DEFINES.search(source):
        source = _SETS.sub(r"\\mathbb{\1}", source)
    return source


def _with_formulas(words: re.Match[str]) -> str:
    """Return words with formulas in dollars among them as both, one beside the other."""
    parts = words[1].split("$")
    return "".join(rf"\text{{{p}}}" if n % 2 == 0 else f"{{{p}}}" for n, p in enumerate(parts) if p)


def can_be_drawn(source: str) -> bool:
    """Tell whether all environments of a prepared formula are known."""
    names = _ENVIRONMENT.findall(source)
    return all(name.removesuffix("*") in _DRAWN for name in names)


def is_whole(source: str, mathml: str) -> bool:
    """Tell whether all of a prepared formula is in the MathML that was made of it."""
    shown = unescape(_TAG.sub("", mathml))
    if _MACRO.search(shown):
        return False
    if _DEFINES.search(source):
        return True  # its letters are those of the definitions, too
    return not _letters(_TOLD.sub(" ", source)) - _letters(shown)


def _letters(text: str) -> Counter[str]:
    """Count letters and digits, whatever their style: 𝔼 is an E."""
    return Counter(char for char in normalize("NFKD", text) if char.isalnum())
