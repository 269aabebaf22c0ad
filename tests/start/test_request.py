"""What a start is asked for, on the command line and on the line between two starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.start.request import StartRequest, read_arguments, read_line


@pytest.mark.parametrize("arguments", [["a.gguf"], ["--model", "a.gguf"], ["--", "a.gguf"]])
def test_a_file_is_named_absolutely(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_arguments(arguments).file == tmp_path / "a.gguf"


@pytest.mark.parametrize("name", ["a b.gguf", "模型 “二”\n.gguf", "\udcff.gguf", ""])
def test_a_request_survives_its_line(name: str) -> None:
    request = StartRequest(Path("/models") / name if name else None, token="t")
    line = request.line()
    assert line.count(b"\n") == 1
    assert read_line(line) == request


@pytest.mark.parametrize(
    "line", [b"", b"\n", b"[]\n", b"{}\n", b'{"file": 1, "token": ""}\n', b"\xff"]
)
def test_anything_else_is_no_request(line: bytes) -> None:
    assert read_line(line) is None


def test_the_version_is_told_and_nothing_is_started(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        read_arguments(["--version"], "1.2.3")
    assert ended.value.code == 0
    assert capsys.readouterr().out == "Inkstone 1.2.3\n"
