"""The command line: what it prints where, and how it ends."""

from __future__ import annotations

import io
import json
import string
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine import cli
from engine.cli_sizes import bytes_text, sizes_text
from engine.cli_words import fault_sentence, notice_sentence
from engine.contract import (
    Command,
    Event,
    Fault,
    FaultKind,
    Figure,
    Generate,
    Notice,
    NoticeKind,
)
from engine.engine import Engine
from tests.doubles.models import expected_reply


def latin(ids: list[int]) -> str:
    return "".join(map(chr, ids))


def test_complete_streams_the_text_and_tells_the_speed_apart(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["complete", str(model), "Once", "--max-tokens", "9"]) == 0
    out, err = capsys.readouterr()
    assert out == latin(expected_reply(list(b"Once"), 9)) + "\n"
    assert "9 tokens" in err
    assert "4 prompt tokens" in err


def test_chat_answers_one_prompt(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["chat", str(model), "--prompt", "Hi", "--max-tokens", "3"]) == 0
    prompt = [ord("u"), *b"Hi", 256, ord("a")]
    assert capsys.readouterr().out == latin(expected_reply(prompt, 3)) + "\n"


def test_json_is_one_object_with_text_and_figures(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["complete", str(model), "Once", "--max-tokens", "9", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["answer"] == latin(expected_reply(list(b"Once"), 9))
    assert shown["reason"] == "length"
    assert shown["usage"]["generated_tokens"] == 9
    assert shown["ids"] == expected_reply(list(b"Once"), 9)


def test_a_conversation_goes_on_over_lines_and_reuses_what_was_said(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("One\n\nTwo\n"))
    assert cli.main(["chat", str(model), "--max-tokens", "4"]) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 2 + sum(
        latin(expected_reply([ord("u"), *b"One", 256, ord("a")], 4)).count("\n") for _ in "1"
    )
    assert "of them reused" in err


def test_ctrl_c_stops_the_reply_and_not_the_conversation(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Engine.run

    def interrupted(
        self: Engine, command: Command, cancelled: Callable[[], bool]
    ) -> Iterator[Event | None]:
        for count, event in enumerate(run(self, command, cancelled)):
            if count == 5 and isinstance(command, Generate) and command.messages[-1].content == "1":
                import signal

                signal.raise_signal(signal.SIGINT)
            yield event

    monkeypatch.setattr(Engine, "run", interrupted)
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n2\n"))
    assert cli.main(["chat", str(model), "--max-tokens", "40"]) == 0
    err = capsys.readouterr().err
    assert err.count("prompt tokens") == 2
    assert "40 tokens" not in err.splitlines()[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["complete", "MISSING", "x"], "There is no file or folder"),
        (["inspect", "MISSING"], "There is no file or folder"),
        (["inspect", "MISSING"], "`models` lists"),
        (["inspect", "GARBAGE"], "a GGUF file or a safetensors folder is needed"),
        (["audit", "export", "MISSING/log"], "cannot be opened"),
        (["download", ""], "the model cannot be nothing; allowed: starter, a name"),
        (["download", "no such thing"], "the model cannot be no such thing; allowed: starter"),
        (["keys", "set", "not-a-url"], "not-a-url is no address of a server"),
        (["complete", "MODEL", ""], "The prompt is empty."),
        (["complete", "MODEL", "x" * 600], "takes 600 tokens, and the context holds 512"),
    ],
)
def test_a_fault_is_one_sentence_and_a_status(
    model: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    garbage = model.with_name("garbage.gguf")
    garbage.write_text("garbage")
    names = {"MODEL": model, "MISSING/log": f"{model}x/log", "MISSING": f"{model}x"}
    names["GARBAGE"] = garbage
    assert cli.main([str(names.get(each, each)) for each in arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err.splitlines()[-1]


@pytest.mark.parametrize("kind", list(FaultKind))
def test_every_fault_has_a_sentence_even_without_its_figures(kind: FaultKind) -> None:
    sentence = fault_sentence(Fault(kind))
    assert sentence.endswith(".")
    assert sentence[0] in string.ascii_uppercase + "["


@pytest.mark.parametrize("kind", list(NoticeKind))
def test_every_notice_has_a_sentence(kind: NoticeKind) -> None:
    assert notice_sentence(Notice(kind)).endswith(".")


def test_figures_are_shown_in_their_units() -> None:
    fault = Fault(FaultKind.MEMORY_SHORT, {"needed": 5 * 10**9, "free": 3 * 10**9, "context": 8192})
    assert "needs 5.0 GB with a context of 8,192 tokens, and 3.0 GB" in fault_sentence(fault)
    assert bytes_text(0) == "0 bytes"
    assert bytes_text(1536) == "1.5 kB"


def test_the_sizes_of_one_sentence_have_one_unit_and_are_told_apart() -> None:
    figures: dict[str, Figure] = {"path": "m.gguf", "size": 5_000_000, "expected": 98_362_432}
    assert "it has 5.0 MB, but needs 98.4 MB." in fault_sentence(
        Fault(FaultKind.FILE_TRUNCATED, figures)
    )
    figures["size"] = 98_362_431  # the last byte is missing
    assert "it has 98,362,431 bytes, but needs 98,362,432 bytes." in fault_sentence(
        Fault(FaultKind.FILE_TRUNCATED, figures)
    )
    needed: dict[str, Figure] = {"path": "m", "needed": 1_500_000_000, "free": 900_000_000}
    assert "has 0.9 GB left, and 1.5 GB are needed" in fault_sentence(
        Fault(FaultKind.DISK_FULL, needed)
    )
    assert sizes_text({"size": 60_000_000, "free": 60_000_000_000}) == {
        "size": "60.0 MB", "free": "60.0 GB",
    }  # fmt: skip
    hashes: dict[str, Figure] = {"path": "m.gguf", "expected": "ab12", "actual": "cd34"}
    assert "expected ab12" in fault_sentence(Fault(FaultKind.HASH_MISMATCH, hashes))


@pytest.mark.parametrize(
    ("seconds", "words"), [(12, "alone for 12 seconds: slow"), (0, "alone for now: slow")]
)
def test_what_a_server_did_not_tell_is_not_said(seconds: int, words: str) -> None:
    figures: dict[str, Figure] = {"host": "far", "seconds": seconds, "detail": "slow down"}
    assert words in fault_sentence(Fault(FaultKind.SERVER_OVERLOADED, figures))
    assert "0" not in fault_sentence(Fault(FaultKind.CONVERSATION_TOO_LONG, {"host": "far"}))


def test_starter_names_a_place_in_the_model_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", "starter"]) == 1  # the tests' own home has no models
    assert "SmolLM2-135M-Instruct.Q4_1.gguf" in capsys.readouterr().err


def test_an_empty_model_folder_says_how_a_model_comes_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)  # without other programs' models
    assert cli.main(["models"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "`download starter` fetches a small one" in err
    assert cli.main(["models", "--json"]) == 0
    assert capsys.readouterr() == ("[]\n", "")
