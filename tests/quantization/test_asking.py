"""A question to a copy and its source: one after the other, each with its own fault."""

from __future__ import annotations

import gc
import io
import json
import os
import weakref
from collections.abc import Generator
from pathlib import Path

import pytest

from engine.answering import Answering
from engine.asking import Answer, Question, Side, ask_both, first_difference
from engine.cli import main
from engine.contract import EngineError, Event, Fault, FaultKind, Load, Progress, Stage
from tests.doubles.models import MockModel, mock_loaded
from tests.quantization.folders import write_folder


class Heard:
    """What a listener was told."""

    def __init__(self) -> None:
        self.texts = dict.fromkeys(Side, "")
        self.stages: list[tuple[Side, str]] = []

    def progressed(self, side: Side, stage: str, done: int, total: int) -> None:
        if (side, stage) not in self.stages:
            self.stages.append((side, stage))

    def said(self, side: Side, text: str) -> None:
        self.texts[side] += text


class Shelf:
    """Loads the mock model, remembers which, and whether the one before was gone by then."""

    def __init__(self, missing: str = "") -> None:
        self.missing = missing
        self.loaded: list[str] = []
        self._last: weakref.ref[MockModel] | None = None

    def load(self, command: Load) -> Generator[Event, None, Answering]:
        gc.collect()
        assert self._last is None or self._last() is None, "two models in memory"
        yield Progress(command.request, Stage.READING, 1, 1)
        if command.path.name == self.missing:
            raise EngineError(FaultKind.FILE_DAMAGED, path=str(command.path), detail="x")
        self.loaded.append(command.path.name)
        model = MockModel(context_length=512)
        self._last = weakref.ref(model)
        return Answering(mock_loaded(model=model))


def test_both_answer_one_after_the_other_without_chance() -> None:
    shelf, heard = Shelf(), Heard()
    found = ask_both(Path("copy"), Path("source"), Question("Hi?", most=20), heard, shelf.load)
    assert shelf.loaded == ["source", "copy"]
    assert isinstance(found.source, Answer)
    assert isinstance(found.copy, Answer)
    assert found.copy.ids == found.source.ids != ()
    assert found.first_difference == 0  # the same model, and no chance
    assert found.copy.tokens == 20
    assert found.copy.ended == "length"
    assert heard.texts[Side.COPY].strip() == found.copy.reply
    assert heard.stages == [(s, t) for s in Side for t in ("reading", "answering")]


def test_a_source_that_cannot_be_read_does_not_keep_the_copy_from_answering() -> None:
    shelf = Shelf(missing="source")
    found = ask_both(Path("copy"), Path("source"), Question("Hi?", most=5), Heard(), shelf.load)
    assert isinstance(found.source, Fault)
    assert found.source.kind is FaultKind.FILE_DAMAGED
    assert isinstance(found.copy, Answer)
    assert found.first_difference is None


def test_the_copy_alone_can_be_asked() -> None:
    shelf = Shelf()
    found = ask_both(Path("copy"), None, Question("Hi?", most=5), Heard(), shelf.load)
    assert shelf.loaded == ["copy"]
    assert found.source is None
    assert found.first_difference is None


def test_what_another_program_was_promised_is_not_taken(tmp_path: Path) -> None:
    """More than any machine has: nothing is loaded, and the figures say why."""
    copy, shelf = write_folder(tmp_path / "copy"), Shelf()
    found = ask_both(copy, None, Question("Hi?", leave=1 << 48), Heard(), shelf.load)
    assert isinstance(found.copy, Fault)
    assert found.copy.kind is FaultKind.MEMORY_SHORT
    assert found.copy.figures["free"] == 0
    assert shelf.loaded == []


def test_a_question_meets_the_rules_that_hold_everywhere() -> None:
    """An organisation whose log cannot be written answers nothing, here as little as in a chat."""
    home = Path(os.environ["INKSTONE_HOME"])
    home.mkdir(exist_ok=True)
    (home / "settings.json").write_text(json.dumps({"safety_profile": "organisation"}))
    (home / "audit").write_text("a file in its place")
    found = ask_both(Path("copy"), None, Question("a.b@example.com"), Heard(), Shelf().load)
    assert isinstance(found.copy, Fault)
    assert found.copy.kind is FaultKind.AUDIT_UNWRITABLE


@pytest.mark.parametrize(
    ("one", "other", "at"),
    [((), (), 0), ((1, 2), (1, 2), 0), ((1, 2), (1, 3), 2), ((1, 2), (1, 2, 3), 3), ((1,), (), 1)],
)
def test_the_first_difference_is_counted_from_one(
    one: tuple[int, ...], other: tuple[int, ...], at: int
) -> None:
    assert first_difference(one, other) == first_difference(other, one) == at


def test_a_long_question_gets_a_context_that_holds_it() -> None:
    assert Question("Hi?").context == 2048
    assert Question("字" * 4000, most=100).context > 12_100  # three bytes each: surely enough


def test_a_question_from_standard_input_to_a_real_model_and_itself(
    starter_model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("What is the capital of France?\n"))
    model = str(starter_model)
    asked = ["evaluate", model, "--against", model, "--ask", "-", "--max-tokens", "12", "--events"]
    assert main(asked) == 0
    *told, found = map(json.loads, capsys.readouterr().out.splitlines())
    assert found["question"] == "What is the capital of France?"
    assert found["copy"]["reply"] == found["source"]["reply"] != ""
    assert found["copy"]["ended"] == "length" or found["copy"]["tokens"] < 12
    assert found["first_difference"] == 0
    assert found["copy"]["tokens_per_second"] > 0
    said = [line["text"] for line in told if line["event"] == "said" and line["side"] == "copy"]
    assert "".join(said).strip() == found["copy"]["reply"]


def test_without_a_source_a_question_is_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = str(write_folder(tmp_path / "copy"))
    assert main(["evaluate", copy]) == 1
    assert "--against cannot be left out" in capsys.readouterr().err
    assert main(["evaluate", copy, "--ask", " "]) == 1
    assert "The prompt is empty." in capsys.readouterr().err


def test_an_answer_that_is_missing_is_a_sentence_and_a_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder without a tokenizer: what it lacks is said, in JSON too."""
    copy = str(write_folder(tmp_path / "copy"))
    assert main(["evaluate", copy, "--ask", "Hi?", "--json"]) == 1
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["copy"]["fault"] == "tokenizer_missing"
    assert found["copy"]["sentence"] in said.err
    assert found["source"] is None
