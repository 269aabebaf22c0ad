"""``bench``: both engines get the same work in the same rounds, and the better peer counts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from engine import cli, cli_terminal
from engine.answering import Answering
from engine.bench import peer as peer_module
from engine.bench.busy import busy
from engine.bench.figures import Side, ratios, spread
from engine.contract import Event, Load
from engine.engine import Engine
from tests.doubles.models import mock_loaded

ROOT = Path(__file__).resolve().parents[2]

LLAMA_CPP = '''
"""What the peer's side uses of llama-cpp-python, writing down what it is asked."""
from pathlib import Path
from types import SimpleNamespace

__version__ = "0.0.1"
LOG = Path(__file__).with_name("asked")


def llama_backend_init(): ...
def llama_model_default_params(): return SimpleNamespace()
def llama_context_default_params(): return SimpleNamespace()


def llama_model_load_from_file(path, model):
    if path.endswith(b"unknown.gguf"):
        return None
    return "model repacked" if model.use_extra_bufts else "model"


def llama_init_from_model(held, wanted):
    print(held, wanted.n_ctx, wanted.n_threads, file=LOG.open("a"))
    return held


class _Tokens(type):
    def __mul__(cls, count): return lambda *ids: list(ids)


llama_token = _Tokens("llama_token", (), {})
def llama_batch_get_one(ids, tokens): return ids
def llama_get_memory(context): return context
def llama_memory_clear(memory, data): print("clear", file=LOG.open("a"))
def llama_get_logits_ith(context, row): ...


def llama_decode(context, batch):
    print(context, len(batch), file=LOG.open("a"))
    return 0
'''


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A path that stands for the mock model."""

    def load(command: Load) -> Generator[Event, None, Answering]:
        yield from ()
        return Answering(mock_loaded())

    monkeypatch.setattr(cli_terminal, "Engine", lambda: Engine(load))
    path = tmp_path / "mock.gguf"
    path.touch()
    return path


@pytest.fixture
def peer(tmp_path: Path) -> Path:
    """A folder whose ``llama_cpp`` writes down what it is asked."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "llama_cpp.py").write_text(LLAMA_CPP, "utf-8")
    return folder


SMALL = ["--rounds", "3", "--prompt-tokens", "40", "--decode-tokens", "5"]


def test_alone_it_tells_its_own_figures(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", str(model), *SMALL]) == 0
    out = capsys.readouterr().out
    assert "prefill, tokens/s" in out
    assert "GB/s" in out
    assert "llama.cpp" not in out


def test_the_peer_reads_and_writes_as_many_tokens_in_every_round(
    model: Path, peer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["bench", str(model), *SMALL, "--against", "llama.cpp", "--peer", str(peer)]
    assert cli.main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [side["name"] for side in (told["ours"], *told["peers"])] == [
        "Inkstone", "llama.cpp (0.0.1)", "llama.cpp (0.0.1, --repack 0)",
    ]  # fmt: skip
    assert len(told["ratios"]["decode"]["rounds"]) == 3
    asked = (peer / "asked").read_text("utf-8").splitlines()
    read, written = told["prefill_tokens"], told["decode_tokens"]
    assert written == 5
    for held in ("model repacked", "model"):
        assert asked.count(f"{held} {read}") == 3
        one_by_one = 3 * 5 + 48  # the rounds' and the first turn's reply
        assert asked.count(f"{held} 1") == one_by_one


def test_a_missing_peer_is_one_sentence_that_says_how_to_get_it(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for where in (tmp_path, tmp_path / "nowhere"):
        (tmp_path / "llama_cpp.py").write_text("raise ImportError", "utf-8")
        command = ["bench", str(model), "--against", "llama.cpp", "--peer", str(where)]
        assert cli.main(command) == 1
        said = capsys.readouterr().err
        assert "Traceback" not in said
        assert said.count("\n") == 1
    assert "cannot be started" in said


@pytest.mark.skipif(sys.platform == "win32", reason="shell scripts stand for other programs")
@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        ("echo hello", "llama-cpp-python is not installed"),
        ("echo 1", "llama-cpp-python is not installed"),
        ("""echo '{"version": "1"}'; read asked""", "llama.cpp ended unexpectedly."),
        ("""echo '{"version": "1"}'; read asked; echo '[1,'""", "llama.cpp ended unexpectedly."),
    ],
)
def test_a_peer_that_crashes_or_is_another_program_is_a_sentence(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], says: str, sentence: str
) -> None:
    other = tmp_path / "other"
    other.write_text(f"#!/bin/sh\n{says}\n", "utf-8")
    other.chmod(0o700)
    command = ["bench", str(model), *SMALL, "--against", "llama.cpp", "--peer", str(other)]
    assert cli.main(command) == 1
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="shell scripts stand for other programs")
@pytest.mark.parametrize("says", ["sleep 600", """echo '{"version": "1"}'; sleep 600"""])
def test_a_peer_that_never_answers_is_ended_with_a_sentence(
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    says: str,
) -> None:
    monkeypatch.setattr(peer_module, "HELLO_S", 2.0)
    monkeypatch.setattr(peer_module, "ANSWER_S", 0.2)
    (tmp_path / "other").write_text(f"#!/bin/sh\n{says}\n", "utf-8")
    (tmp_path / "other").chmod(0o700)
    monkeypatch.chdir(tmp_path)  # a name alone is the file here, not a program of the search path
    assert cli.main(["bench", str(model), *SMALL, "--against", "llama.cpp", "--peer", "other"]) == 1
    said = capsys.readouterr().err
    assert "did not answer within" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("says", ["import nothing_of_this_name", "raise OSError('no library')"])
def test_a_peer_that_is_there_and_does_not_start_says_why(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], says: str
) -> None:
    (tmp_path / "llama_cpp.py").write_text(says, "utf-8")
    command = ["bench", str(model), *SMALL, "--against", "llama.cpp", "--peer", str(tmp_path)]
    assert cli.main(command) == 1
    said = capsys.readouterr().err
    assert "is there and does not start" in said
    assert "no library" in said or "nothing_of_this_name" in said


@pytest.mark.parametrize("option", ["--peer", "--peer-model"])
def test_a_peer_without_a_comparison_is_refused(
    model: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert cli.main(["bench", str(model), *SMALL, option, "anything"]) == 1
    said = capsys.readouterr()
    assert said.err == "--peer and --peer-model belong to --against llama.cpp.\n"
    assert said.out == ""


def test_more_busy_processes_than_any_machine_bears_are_refused(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["bench", str(model), *SMALL, "--busy", "99999"])
    assert "99999 is outside 0 to 64" in capsys.readouterr().err


def test_a_missing_file_for_the_peer_is_told_before_anything_is_loaded(
    peer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unreadable = tmp_path / "unreadable.gguf"
    unreadable.write_bytes(b"no model")
    missing = tmp_path / "missing.gguf"
    command = ["bench", str(unreadable), *SMALL, "--against", "llama.cpp", "--peer", str(peer)]
    assert cli.main([*command, "--peer-model", str(missing)]) == 1
    assert str(missing) in capsys.readouterr().err


def test_every_script_that_measures_reads_its_options_by_a_parser() -> None:
    scripts = {
        path.name: path.read_text("utf-8") for path in (ROOT / "tests" / "bench").glob("*.py")
    }
    del scripts["scripted_process.py"]  # a program's other half, which no person starts
    started = {name: text for name, text in scripts.items() if 'if __name__ == "__main__"' in text}
    assert len(started) > 20
    assert [name for name, text in started.items() if "ArgumentParser(" not in text] == []


def test_a_file_that_the_peer_cannot_load_is_a_sentence(
    model: Path, peer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (peer / "llama_cpp.py").read_text("utf-8")
    (peer / "llama_cpp.py").write_text(source.replace('b"unknown.gguf"', 'b".gguf"'), "utf-8")
    command = ["bench", str(model), *SMALL, "--against", "llama.cpp", "--peer", str(peer)]
    assert cli.main(command) == 1
    assert capsys.readouterr().err.strip() == "llama.cpp does not load this file."


def test_the_ratio_is_to_the_variant_that_is_better_at_it() -> None:
    def side(prefill: list[float], decode: list[float]) -> Side:
        return Side("", 0, spread(prefill), spread(decode), 0, 0, 0)

    made = ratios(
        side([100, 200, 300], [8, 8, 8]),
        [side([10, 10, 10], [4, 4, 4]), side([50, 100, 100], [2, 1, 1])],
    )
    assert made is not None
    assert made.prefill.rounds == (2, 2, 3)
    assert (made.prefill.median, made.decode.median) == (2, 2)
    assert ratios(side([1], [1]), []) is None


def test_busy_processes_run_only_meanwhile() -> None:
    before = set(psutil.Process().children())
    with busy(2):
        running = set(psutil.Process().children()) - before
        assert len(running) == 2
        assert all(sys.executable in child.cmdline()[0] for child in running)
    assert not any(child.is_running() for child in running)


def test_other_work_ends_with_a_measurement_that_is_killed() -> None:
    measuring = (
        "import psutil, time\n"
        "from engine.bench.busy import busy\n"
        "with busy(1):\n"
        "    print(psutil.Process().children()[0].pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", measuring], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as killed:
        assert killed.stdout is not None
        other = psutil.Process(int(killed.stdout.readline()))
        killed.kill()
    gone, _ = psutil.wait_procs([other], timeout=60)
    assert gone
