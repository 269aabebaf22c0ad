"""Every kind of fault and notice has a sentence in both languages, with its figures in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import engine.contract.faults as contract
from app.language import LANGUAGES, Language, entries
from app.store import faults as store
from app.store.faults import StoreFault, StoreFaultKind
from app.ui.faults import (
    FaultAction,
    FaultText,
    fault_text,
    notice_text,
    shorter_context,
)
from app.ui.store_faults import store_fault_text
from engine.contract import Fault, FaultKind, Figure, Notice, NoticeKind

# a value for every figure that a kind's comment names
SAMPLES: dict[str, Figure] = {
    "path": "/models/資料 測試/model.gguf", "aside": "/data/chats.db.damaged-1", "copy": "/c/1.db",
    "reason": "Permission denied", "size": 1_900_000_000, "detail": "ValueError: bad",
    "format": "ONNX", "architecture": "mamba", "quantization": "IQ1_S", "tensor": "blk.0.attn_q",
    "shape": "[2, 3]", "needed": 10_800_000_000, "free": 6_100_000_000, "context": 8192,
    "device": "cuda:1", "tokens": 12_000, "name": "top_k", "value": "many", "allowed": "0 to 200",
    "waiting": 9, "limit": 8, "host": "pypi.org", "address": "https://pypi.org", "status": 503,
    "expected": "b179c9523d0e6a0f98a3", "actual": "ffffffffffffffffffff", "turns": 2, "rows": 3,
    "wanted": 131_072, "found": 9, "known": 3, "chats": 12, "copied": 1_790_000_000,
    "beside": "/data/chats-beside-6.db",
    "divergence": 0.31, "seconds": 30, "model": "qwen3:4b", "names": "top_k", "least": 9000,
    "rule": "shitty", "list": "rude", "line": 3, "places": 2, "threads": 2,
    "platform": "win32-amd64", "driver": "470.82", "gpu": "NVIDIA GTX 1080", "capability": "6.1",
    "file": "Q9", "offered": "Q4_K_M, Q8_0",
}  # fmt: skip
BYTES = {
    kind: {"expected": 2_500_000_000} for kind in (FaultKind.FILE_TRUNCATED, FaultKind.FILE_CHANGED)
}


def figures_of(module: object, kind: str) -> set[str]:
    """The names of the figures, read from the comment that documents a kind."""
    source = Path(str(module.__file__)).read_text("utf-8")  # type: ignore[attr-defined]
    beside = re.search(rf'"{kind}"\s*\)?\s*# ([^\n]*)', source)
    above = re.search(rf"# {kind}: ((?:[^\n]*\n\s*#)*[^\n]*)\n", source)
    comment = (above or beside or [""])[0]
    return {name for name in re.findall(r"[a-z_]+", comment) if name in SAMPLES}


def given(module: object, kind: str) -> dict[str, Figure]:
    return {name: SAMPLES[name] for name in figures_of(module, kind)}


def check(text: FaultText) -> None:
    assert text.lead
    assert "{" not in text.sentence
    assert bool(text.action_label) == (text.action is not FaultAction.NONE)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("kind", FaultKind)
def test_every_fault_has_a_sentence(kind: FaultKind, code: str) -> None:
    figures = given(contract, kind.value) | BYTES.get(kind, {})
    text = fault_text(Fault(kind, figures), Language(code))
    check(text)
    if "needed" in figures:
        assert "10.8 GB" in text.sentence
        assert "6.10 GB" in text.sentence


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("kind", NoticeKind)
def test_every_notice_has_a_sentence(kind: NoticeKind, code: str) -> None:
    check(notice_text(Notice(kind, given(contract, kind.value)), Language(code)))


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("kind", StoreFaultKind)
def test_every_store_fault_has_a_sentence(kind: StoreFaultKind, code: str) -> None:
    check(store_fault_text(StoreFault(kind, given(store, kind.value)), Language(code)))


def test_a_short_memory_names_the_context_that_the_button_would_use() -> None:
    figures: dict[str, Figure] = {"needed": 10_800_000_000, "free": 6_100_000_000, "context": 8192}
    text = fault_text(Fault(FaultKind.MEMORY_SHORT, figures), Language("en"))
    assert text.action is FaultAction.SHORTER_CONTEXT
    assert text.action_label == "Use 4,096"
    assert "needs 10.8 GB; 6.10 GB is free" in text.sentence


def test_the_shortest_context_is_not_halved_again() -> None:
    assert [shorter_context(n) for n in (131_072, 8193, 8192, 2048, 1024, 0)] == [
        65_536, 8192, 4096, 1024, 0, 0,
    ]  # fmt: skip


def test_M21_a_file_name_with_tags_stays_text() -> None:
    name = "<img src=x onerror=alert(1)>.gguf"
    text = fault_text(Fault(FaultKind.FILE_MISSING, {"path": f"/models/{name}"}), Language("en"))
    assert name in text.sentence


def shown(source: str) -> set[str]:
    """The figures that a text shows; what only chooses between singular and plural is not one."""
    return set(re.findall(r"\$(\w+)", re.sub(r"\{\s*\$\w+\s*->", "", source)))


def test_languages_have_the_same_texts_and_the_same_figures() -> None:
    folder = Path(__file__).parents[2] / "resources" / "translations"
    texts = {
        code: {
            entry: shown(source)
            for path in sorted((folder / code).glob("*.ftl"))
            for entry, source in entries(path.read_text("utf-8"))
            if not entry.startswith("parameters-")  # Chinese counts in 亿
        }
        for code in LANGUAGES
    }
    assert texts["en"] == texts["zh_CN"]


DETAILED = (
    FaultKind.FILE_DAMAGED,
    FaultKind.CONFIG_INVALID,
    FaultKind.TOKENIZER_INVALID,
    FaultKind.TEMPLATE_INVALID,
    FaultKind.INTERNAL,
)


@pytest.mark.parametrize("kind", DETAILED)
def test_a_technical_detail_stands_behind_the_sentence_and_names_itself(kind: FaultKind) -> None:
    """What the engine found is English: it must not pass for the sentence in another language."""
    detail = "key: a string of 18446744073709551615 bytes"
    fault = Fault(kind, {"path": "/models/a.gguf", "detail": detail})
    for code, name in (("en", " Details: "), ("zh_CN", "细节：")):
        text = fault_text(fault, Language(code))
        said, behind = text.sentence.split(name)
        assert behind == detail
        assert len(said) > len(text.lead)
    assert re.search("[a-z]{3,} [a-z]{2,}", said) is None
    empty = fault_text(Fault(kind, {"path": "/models/a.gguf", "detail": ""}), Language("en"))
    assert "Details" not in empty.sentence


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (
            "en",
            "png.gguf is not a model file that can be read."
            " GGUF files and safetensors folders work.",
        ),
        ("zh_CN", "png.gguf 不是能读的模型文件。能用的是 GGUF 文件和 safetensors 文件夹。"),
    ],
)
def test_a_file_of_no_known_kind_is_said_to_be_no_model_file(code: str, sentence: str) -> None:
    fault = Fault(FaultKind.FORMAT_UNSUPPORTED, {"path": "/m/png.gguf", "format": "unknown"})
    assert fault_text(fault, Language(code)).sentence == sentence


def test_a_short_file_is_told_in_one_unit() -> None:
    figures: dict[str, Figure] = {"path": "/m/a.gguf", "size": 400_000, "expected": 98_000_000}
    said = fault_text(Fault(FaultKind.FILE_TRUNCATED, figures), Language("en")).sentence
    assert "0.4 MB of 98 MB" in said


@pytest.mark.parametrize(
    ("kind", "figures", "sentence"),
    [
        (FaultKind.FILE_TRUNCATED, {"size": 0, "expected": 4}, "m.gguf is empty."),
        (FaultKind.FILE_MISSING, {"path": "/a/m.gguf"}, "m.gguf is not there any more."),
        (
            FaultKind.FILE_MISSING,
            {"path": "/a/m-00003-of-00004.gguf"},
            "m-00003-of-00004.gguf is missing.",
        ),
        (FaultKind.DISK_FULL, {"needed": 0, "free": 12_000_000}, "The disk is full."),
    ],
)
def test_what_happened_is_said_and_no_more(
    kind: FaultKind, figures: dict[str, Figure], sentence: str
) -> None:
    said = fault_text(Fault(kind, {"path": "/a/m.gguf", **figures}), Language("en"))
    assert said.lead == sentence
    assert "0 bytes" not in said.rest


@pytest.mark.parametrize(("code", "words"), [("en", "no valid Jinja"), ("zh_CN", "Jinja 写法不对")])
def test_what_is_wrong_with_a_template_is_said_in_the_windows_language(
    code: str, words: str
) -> None:
    fault = Fault(
        FaultKind.TEMPLATE_INVALID,
        {"detail": "line 2: unknown tag", "flaw": "syntax", "line": 2, "words": "unknown tag"},
    )
    said = fault_text(fault, Language(code)).sentence
    assert words in said
    assert "unknown tag" in said
    assert "line 2: unknown" not in said
