"""How a byte-level vocabulary cuts text before its merges apply: one row per GGUF ``pre`` name.

The patterns are the published definitions of the tokenizers themselves (their ``tokenizer.json``),
under the names that llama.cpp gives them in ``tokenizer.ggml.pre``. Several patterns are applied
one after the other, each to the pieces that the one before left. They are written for Oniguruma,
the regular expressions of the ``tokenizers`` library.
"""

from __future__ import annotations

from dataclasses import dataclass

_CONTRACTIONS = r"'s|'t|'re|'ve|'m|'ll|'d"
_LINES_AND_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"

GPT2 = rf"{_CONTRACTIONS}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+"


def _words(digits: str, marks: str = "") -> str:
    """GPT-4's split: words, ``digits``, signs, lines; with ``marks`` accents belong to words."""
    letters = rf"[\p{{L}}{marks}]"
    return (
        rf"(?i:{_CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?{letters}+|{digits}"
        rf"| ?[^\s\p{{L}}{marks}\p{{N}}]+[\r\n]*|{_LINES_AND_SPACES}"
    )


def _cased_words(digits: str, contractions: str, signs: str = r"[\r\n/]*", but: str = "") -> str:
    """GPT-4o's split: words are also cut where a lower case letter meets an upper case one."""
    upper, lower = f"[{_UPPER}{but}]", f"[{_LOWER}{but}]"
    start = r"[^\r\n\p{L}\p{N}]?"
    return (
        rf"{start}{upper}*{lower}+{contractions}|{start}{upper}+{lower}*{contractions}"
        rf"|{digits}| ?[^\s\p{{L}}\p{{N}}]+{signs}|{_LINES_AND_SPACES}"
    )


_ENDING = rf"(?i:{_CONTRACTIONS})?"
_THREES = r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"  # thousands, counted from the right
_ASCII_SIGNS = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"
_SIGNS_AND_WORDS = (
    rf"{_ASCII_SIGNS}[A-Za-z]+|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+"
    rf"| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_LINES_AND_SPACES}"
)


def _one_of(ranges: str) -> str:
    """A character class from code points in hexadecimal; escaped, so that no editor alters them."""
    ends = (part.partition("-")[::2] for part in ranges.split())
    return "".join(
        rf"\x{{{first}}}-\x{{{last}}}" if last else rf"\x{{{first}}}" for first, last in ends
    )


# the letters that have case, as the Unicode of DeepSeek's tokenizer knew them
_CASED = _one_of(
    "41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376-377 37B-37D 37F 386"
    " 388-38A 38C 38E-3A1 3A3-3F5 3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA"
    " 1CBD-1CBF 1D00-1D2B 1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57"
    " 1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB"
    " 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D"
    " 212F-2134 2139 213C-213F 2145-2149 214E 2183-2184 2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2-2CF3"
    " A640-A66D A680-A69B A722-A76F A771-A787 A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A"
    " FF41-FF5A 10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF 1E900-1E943"
)
_EAST_ASIAN = f"[{_one_of('4E00-9FA5 800-4E00 AC00-D7FF')}]+"
_HAN_AND_KANA = f"[{_one_of('4E00-9FA5 3040-309F 30A0-30FF')}]+"
_WIDE_SIGNS = _one_of("FF01-FF0F FF1A-FF5E 2018-201F 3000-3002")
_NO_SIGNS = r" ?[^(\s|.,!?…。，、।۔،)]+"
_GPT2_SIGNS = r"[\p{P}\$\+<=>\^~\|`]+"

LLAMA3 = (_words(r"\p{N}{1,3}"),)
QWEN2 = (_words(r"\p{N}"),)
DIGITS_GPT2 = (r"\p{N}", GPT2)
DEEPSEEK3 = (r"\p{N}{1,3}", _HAN_AND_KANA, _SIGNS_AND_WORDS)
GPT4O = (_cased_words(r"\p{N}{1,3}", _ENDING),)


@dataclass(frozen=True, slots=True)
class Split:
    """What a ``pre`` name stands for.

    Attributes:
        patterns: the cuts.
        whole_words: a word that is itself in the vocabulary is taken without merging.
        adds_bos: whether BOS is added where the file does not say.
    """

    patterns: tuple[str, ...]
    whole_words: bool = False
    adds_bos: bool = False


def _named(names: str, split: Split) -> dict[str, Split]:
    return dict.fromkeys(names.split(), split)


_BAILING = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
_SEED = (
    rf"(?i:{_CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_LINES_AND_SPACES}"
)
_EXAONE_MOE = (
    rf"(?i:{_CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
)
_JAIS2 = LLAMA3[0].replace(
    r"\s+(?!\S)|\s+",
    "|".join(rf"\s{{{count}}}(?!\S)" for count in (512, 256, 128, 64, 32, 16, 8, 4, "1,2"))
    + r"|\s{1}",
)
_KIMI = r"\p{Han}+|" + _cased_words(r"\p{N}{1,3}", _ENDING, signs=r"[\r\n]*", but=r"&&[^\p{Han}]")
_AFMOE_SCRIPTS = _one_of(
    "4E00-9FFF 3400-4DBF F900-FAFF 3040-309F 30A0-30FF FF65-FF9F 2F00-2FDF E00-E7F E80-EFF"
    " 1780-17FF 1000-109F AA60-AA7F A9E0-A9FF AC00-D7AF 1100-11FF"
)
_YOUTU_SIGNS = _one_of("FF01 2026 201C-201D 2018-2019 2014 FF1A FF1B FF0C 3001-303F FE30-FE4F")
_YOUTU = (
    f"[{_one_of('AC00-D7A3 3131-318E')}]+|[{_YOUTU_SIGNS}]+|[{_one_of('3105-312F')}]+"
    f"|{_HAN_AND_KANA}",
    _cased_words(r"\p{N}", _ENDING),
)
_CHAMELEON = (
    "<sentinel:[0-9]+>",
    "IMGIMG[A-I]{1,4}Z",
    "[\\t\\n]|    |  ",
    r"\p{N}",
    r"[\p{P}!-/:-@\[-`{-~]",
    GPT2,
)

SPLITS: dict[str, Split] = {
    **_named(
        "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
        Split(LLAMA3, whole_words=True, adds_bos=True),
    ),
    **_named("dbrx smaug-bpe glm4 chatglm-bpe", Split(LLAMA3)),
    **_named(
        "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2 laguna",
        Split(QWEN2),
    ),
    "qwen35": Split((_words(r"\p{N}", r"\p{M}"),)),
    **_named(
        "gpt-2 phi-2 mpt olmo jais trillion granite-docling exaone4 jina-es jina-de gigachat"
        " jina-v1-en jina-v2-code jina-v2-es jina-v2-de roberta-bpe a.x-4.0 mellum modern-bert",
        Split((GPT2,)),
    ),
    **_named("smollm starcoder refact command-r codeshell exaone minerva-7b", Split(DIGITS_GPT2)),
    "falcon": Split((_GPT2_SIGNS, GPT2, "[0-9][0-9][0-9]")),
    "default": Split((_GPT2_SIGNS.replace("`", ""), GPT2, r"\p{N}+", "[0-9][0-9][0-9]")),
    "deepseek-llm": Split(
        (
            r"[\r\n]",
            rf"\s?[{_CASED}]+",
            rf"\s?[!-/:-~{_WIDE_SIGNS}]+",
            r"\s+$",
            _EAST_ASIAN,
            r"\p{N}+",
        )
    ),
    "deepseek-coder": Split((r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _EAST_ASIAN, r"\p{N}")),
    **_named("deepseek-v3 hunyuan-dense joyai-llm", Split(DEEPSEEK3)),
    "tekken": Split((_cased_words(r"\p{N}", ""),), whole_words=True, adds_bos=True),
    **_named("gpt-4o llama4 kanana2 minimax-m2", Split(GPT4O)),
    "tiny_aya": Split((r"\d{1,3}(?=(?:\d{3})*\b)", *GPT4O)),
    "youtu": Split(_YOUTU, whole_words=True),
    "kimi-k2": Split((_KIMI,)),
    **_named("bloom poro-chat gpt3-finnish", Split((_NO_SIGNS,))),
    "viking": Split((_NO_SIGNS, r"\p{N}")),
    "chameleon": Split(_CHAMELEON, adds_bos=True),
    "superbpe": Split((r"\p{N}+", _THREES)),
    **_named("bailingmoe bailingmoe2 llada-moe", Split((_BAILING,))),
    "seed-coder": Split((_SEED,)),
    "afmoe": Split((_THREES, f"[{_AFMOE_SCRIPTS}]+", _SIGNS_AND_WORDS)),
    "exaone-moe": Split((_EXAONE_MOE,)),
    "jais-2": Split((_JAIS2,)),
}
