"""The journey in a bare root, as far as it can be known without one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from engine.library.starter import STARTER
from installers import clean_root
from installers.making import bare_forms, deb
from installers.making.bare_forms import form_of
from installers.making.bare_root import Ran, Root, StepError

SCRIPT = Path(clean_root.__file__)


def test_it_uses_the_standard_library_only() -> None:
    command = [sys.executable, "-I", "-S", str(SCRIPT), "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "--tiny" in ran.stdout


def test_the_program_runs_as_a_user_without_a_network(tmp_path: Path) -> None:
    root = Root(tmp_path / "root")
    command = root._command("inkstone --help", network=False)
    assert "--net" in command
    assert "--userspec=1000:1000" in command
    assert command[-3:] == ["/bin/sh", "-c", "inkstone --help"]
    assert "env" in command
    assert "-i" in command  # nothing of the tester's own environment helps it


def test_apt_alone_has_the_network(tmp_path: Path) -> None:
    command = Root(tmp_path)._command("apt-get update", network=True)
    assert "--net" not in command
    assert not any(word.startswith("--userspec") for word in command)


def test_the_file_that_is_opened_is_the_one_that_came_along() -> None:
    assert str(form_of(Path("x.deb")).home) == f"/{deb.HOME}"
    assert bare_forms.STARTER.endswith(f"packages/resources/starter/{STARTER.file_name}")


class Scripted(Root):
    """A root whose commands are written down and answer what was given for a word of them."""

    def __init__(self, folder: Path, answers: dict[str, str]) -> None:
        super().__init__(folder)
        (folder / "tmp").mkdir(parents=True)
        self.asked: list[tuple[str, bool]] = []
        self._answers = answers

    def run(self, command: str, *, network: bool = False, timeout: float = 300) -> Ran:
        self.asked.append((command, network))
        found = [text for word, text in self._answers.items() if word in command]
        return Ran(0, found[0] if found else "", 0.0)


def test_the_archive_is_unpacked_and_taken_away_by_a_user(tmp_path: Path) -> None:
    package = tmp_path / "inkstone-1.2.3-linux-x86_64.tar.xz"
    package.write_bytes(b"")
    form = form_of(package)
    says = "Chats, settings and models stay in /home/writer/.local/share/Inkstone;"
    root = Scripted(tmp_path / "root", {"--remove": says, "chats.db": "/home/writer/chats.db"})
    form.install(root)
    assert str(form.home).endswith("/inkstone-1.2.3-linux-x86_64/program")
    as_user = [command for command, network in root.asked if not network]
    assert any("tar xf" in command and "程序" in command for command in as_user)
    assert any(command.endswith("install.sh'") for command in as_user)
    assert "chats.db" in form.remove(root)


def test_what_the_archive_leaves_behind_fails_the_journey(tmp_path: Path) -> None:
    package = tmp_path / "inkstone-1.2.3-linux-x86_64.tar.xz"
    left = "/home/writer/.local/bin/inkstone"
    root = Scripted(tmp_path / "root", {"-iname": left, "chats.db": "/home/writer/chats.db"})
    with pytest.raises(StepError, match="local/bin/inkstone"):
        form_of(package).remove(root)


@pytest.mark.parametrize(("status", "holds"), [(0, True), (1, False), (124, False)])
def test_a_second_start_hands_its_file_over_and_ends(
    tmp_path: Path, status: int, holds: bool
) -> None:
    said = f"shown 900 ms\nthe second start ended with {status} after 300 ms\ninkstone 130 MB"
    root = Scripted(tmp_path / "root", {"inkstone-window '/srv/a model.gguf'": said})
    (root.folder / "tmp" / "second.png").write_bytes(b"picture")
    if holds:
        shown = clean_root.start_twice(root, PurePosixPath("/srv/a model.gguf"))
        assert shown == said.replace("\n", ", ")
    else:
        with pytest.raises(StepError, match=f"ended with {status}"):
            clean_root.start_twice(root, PurePosixPath("/srv/a model.gguf"))


def test_a_failed_step_is_a_failed_journey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> str:
        raise StepError("status 1: no")

    steps = [("one", lambda: "well"), ("two", fails), ("three", lambda: "well")]
    monkeypatch.setattr(clean_root, "journey", lambda *_: steps)
    monkeypatch.setattr(sys, "argv", ["clean_root.py", "x.deb", "--root", str(tmp_path)])
    assert clean_root.main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "FAILED: status 1: no" in lines[1]
