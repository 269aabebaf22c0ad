"""Newer versions in the real window: asked for, fetched, verified, switched to, taken back."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from app.application import Application
from app.store.folders import chats_path, copies_folder, data_folder, updates_folder
from app.store.opening import known_schema
from app.ui.question import QuestionDialog
from app.ui.update import on_screen, rows
from app.ui.update.dialog import UpdateDialog
from app.ui.update.updating import Stage, UpdateState
from app.update.form import Form, Place
from app.update.record import Step, keep_step, packages_folder, read_step
from app.update.versions import has_version, switch
from tests.app.conftest import Program
from tests.app.legible import troubles
from tests.library.file_server import Site, serve
from tests.scenes_update import EVERY_STATE, READY, RELEASE, update_dialog
from tests.update.publisher import DEB, TAR, Publisher, tar_package, tar_place

RUNNING = "1.2.0"


@pytest.fixture
def publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    """A publisher whose channel is the build's."""
    with serve(Site()) as site:
        publisher = Publisher(tmp_path / "publisher", site)
        carried = tmp_path / "carried"
        carried.mkdir()
        (carried / "address.txt").write_text(publisher.channel.address)
        (carried / "root.json").write_bytes(publisher.channel.root)
        monkeypatch.setenv("INKSTONE_UPDATE", str(carried))
        monkeypatch.setattr(on_screen, "program_version", lambda: RUNNING)
        monkeypatch.setattr(rows, "program_version", lambda: RUNNING)
        yield publisher


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of the tar form, with the running version in it."""
    folder = tmp_path / "inkstone-1.2.0"
    number = folder / "program" / "_internal" / "packages" / "resources" / "version.txt"
    number.parent.mkdir(parents=True)
    number.write_text(f"{RUNNING}\n")
    (folder / "program" / "inkstone-window").touch()
    return folder


class Person:
    """Somebody before the section about the program."""

    def __init__(self, program: Program, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rows, "this_place", lambda: place)
        self.program, self.started = program, list[str]()
        self.opened: list[str] = []
        monkeypatch.setattr(
            on_screen.QProcess, "startDetached", lambda what, _: self.started.append(what)
        )
        monkeypatch.setattr(on_screen.QDesktopServices, "openUrl", self._open)
        self.running: Application = program.start_ready()
        self.running.window.show_page("settings")
        self.page = self.running.window.parts.settings
        self.page.open_section("about")

    def _open(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())

    def look(self) -> UpdateDialog:
        self.page.update_rows.look_for.click()
        dialog = self.running.surroundings.update.dialog
        assert dialog is not None
        self.until(dialog, *(set(Stage) - {Stage.LOOKING}))
        return dialog

    def until(self, dialog: UpdateDialog, *stages: Stage) -> None:
        updating = dialog._updating
        self.program.qtbot.waitUntil(lambda: updating.state.stage in stages, timeout=20_000)

    def end(self) -> None:
        """What the start's function does when the window is closed."""
        self.running.close()
        self.running.surroundings.update.finish()


def test_the_sources_say_that_git_updates_them(program: Program) -> None:
    running = program.start_ready()
    running.window.show_page("settings")
    update = running.window.parts.settings.update_rows
    assert [row.text_ids for row in update.rows] == [("update", "update-by-git")]
    assert running.surroundings.update.dialog is None


def test_a_build_without_a_channel_says_who_updates_it(
    program: Program, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INKSTONE_UPDATE", raising=False)
    person = Person(program, tar_place(root), monkeypatch)
    assert person.page.update_rows.rows[0].text_ids == ("update", "update-by-package")


def test_the_tar_form_goes_on_to_the_next_version_and_back(
    program: Program, publisher: Publisher, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.publish()
    person = Person(program, tar_place(root), monkeypatch)
    assert publisher.site.ranges == []  # nothing was asked by itself
    dialog = person.look()
    assert dialog.title.text() == "Inkstone 1.3.0"
    assert "You have 1.2.0" in dialog.words.text()
    program.qtbot.waitUntil(lambda: "faster" in dialog.notes.toPlainText())
    assert dialog.fetch.isVisible()
    assert not dialog.install.isVisible()
    dialog.fetch.click()
    person.until(dialog, Stage.READY, Stage.FAILED)
    assert dialog.words.text().startswith("It is verified and starts the next time.")
    assert (root / "current").resolve().name == "1.3.0"
    assert not packages_folder(updates_folder(data_folder())).exists()
    dialog.install.click()
    person.end()
    assert person.started == [str(root / "inkstone-window")]
    assert read_step(updates_folder(data_folder())) == Step(
        RUNNING, "1.3.0", known_schema(), "", TAR
    )


def test_going_back_switches_and_brings_the_older_chats(
    program: Program, publisher: Publisher, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = known_schema() - 1
    keep_step(updates_folder(data_folder()), Step("1.1.0", RUNNING, older))
    for version in ("1.1.0", RUNNING):
        window = root / "versions" / version / "program" / "inkstone-window"
        window.parent.mkdir(parents=True)
        window.touch()
    switch(root, RUNNING)
    copies_folder(data_folder()).mkdir()
    with closing(sqlite3.connect(copies_folder(data_folder()) / f"schema-{older}.db")) as copy:
        copy.execute(f"PRAGMA user_version = {older}")
    person = Person(program, tar_place(root), monkeypatch)
    person.page.update_rows.go_back.click()
    (question,) = person.running.window.findChildren(QuestionDialog)
    assert "gets them back as it left them" in question.accessibleDescription()
    question.answers[0].click()
    person.end()
    assert person.started == [str(root / "inkstone-window")]
    assert (root / "current").resolve().name == "1.1.0"
    with closing(sqlite3.connect(chats_path(data_folder()))) as chats:
        assert chats.execute("PRAGMA user_version").fetchone() == (older,)
    aside = {path.name for path in data_folder().glob("chats.db.newer-*")}
    logs = {name for name in aside if name.endswith(("-wal", "-shm"))}
    assert len(aside - logs) == 1  # a log that lay beside it went with it


def test_the_deb_is_kept_and_its_command_shown_and_the_one_before_can_be_had_back(
    program: Program, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = packages_folder(updates_folder(data_folder()))
    packages.mkdir(parents=True)
    for version in ("1.1.0", "1.2.0"):
        (packages / f"inkstone_{version}-1_amd64.deb").write_bytes(b"deb")
    keep_step(
        updates_folder(data_folder()),
        Step("1.1.0", RUNNING, known_schema(), "inkstone_1.1.0-1_amd64.deb",
             "inkstone_1.2.0-1_amd64.deb"),
    )  # fmt: skip
    publisher.publish()
    person = Person(program, Place(Form.DEB, "linux-x86_64"), monkeypatch)
    person.page.update_rows.go_back.click()
    (question,) = person.running.window.findChildren(QuestionDialog)
    assert "cannot read" not in question.accessibleDescription()
    question.cancel.click()
    dialog = person.look()
    dialog.fetch.click()
    person.until(dialog, Stage.READY, Stage.FAILED)
    assert dialog.command.text() == f"sudo apt install {packages / DEB}"
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == dialog.command.text()
    dialog.install.click()
    assert person.opened == [str(packages / DEB)]
    assert {file.name for file in packages.iterdir()} == {DEB, "inkstone_1.2.0-1_amd64.deb"}


def test_a_cut_download_goes_on_where_it_broke(
    program: Program, publisher: Publisher, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tar_package("1.3.0")
    publisher.publish()
    person = Person(program, tar_place(root), monkeypatch)
    dialog = person.look()
    part = packages_folder(updates_folder(data_folder())) / f"{TAR}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(package[:100])
    dialog.reject()
    dialog = person.look()
    assert "are here already" in dialog.words.text()
    assert dialog.go_on.isVisible()
    dialog.go_on.click()
    person.until(dialog, Stage.READY, Stage.FAILED)
    assert has_version(root, "1.3.0")
    assert publisher.site.ranges[-1] == "bytes=100-"


def test_closing_the_dialog_stops_and_keeps_what_arrived(
    program: Program, publisher: Publisher, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.publish()
    goes_on = threading.Event()
    person = Person(program, tar_place(root), monkeypatch)
    dialog = person.look()

    def slow(*arguments: object) -> Path:
        progress, cancelled = arguments[3], arguments[4]
        assert callable(progress)
        assert callable(cancelled)
        progress(50, 100)
        goes_on.wait(20)
        if cancelled():
            from engine.library.downloads.disk import Cancelled

            raise Cancelled
        return Path()

    monkeypatch.setattr("app.update.packages.fetch_package", slow)
    dialog.fetch.click()
    person.until(dialog, Stage.FETCHING)
    assert dialog.pause.isVisible()
    updating = dialog._updating
    dialog.reject()
    assert updating.state.stage is Stage.PAUSED
    goes_on.set()
    program.qtbot.waitUntil(lambda: not updating._is_fetching)
    assert updating.state.stage is Stage.PAUSED


def test_a_package_that_is_not_what_was_signed_is_thrown_away(
    program: Program, publisher: Publisher, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.publish()
    path = f"/packages/{TAR}"
    publisher.site.files[path] = bytes(len(publisher.site.files[path]))
    person = Person(program, tar_place(root), monkeypatch)
    dialog = person.look()
    dialog.fetch.click()
    person.until(dialog, Stage.READY, Stage.FAILED)
    assert dialog.words.text().startswith("What arrived does not have the signed size")
    assert not (root / "current").exists()
    assert list(packages_folder(updates_folder(data_folder())).glob("*.tar.xz*")) == []
    assert dialog.go_on.isVisible()


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("offline", "Offline, only this computer is asked."),
        ("gone", "does not give it out now"),
        ("signature", "whose signature is wrong"),
        ("expired", "is out of date"),
        ("same", "Inkstone 1.2.0 is the newest version."),
    ],
)
def test_what_stands_in_the_way_is_a_sentence(
    program: Program,
    publisher: Publisher,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    says: str,
) -> None:
    publisher.publish(RUNNING if fault == "same" else "1.3.0", days=-1 if fault == "expired" else 9)
    person = Person(program, tar_place(root), monkeypatch)
    if fault == "offline":
        person.running.settings.change(offline=True)
    elif fault == "gone":
        publisher.site.files.clear()
    elif fault == "signature":
        path = "/metadata/timestamp.json"
        body = publisher.site.files[path]
        publisher.site.files[path] = body.replace(b'"version"', b'"Version"')
    dialog = person.look()
    assert says in dialog.words.text()
    assert not dialog.fetch.isVisible()
    if fault == "offline":
        assert publisher.site.ranges == []
        person.running.settings.change(offline=False)
        dialog.again.click()
        person.until(dialog, Stage.FOUND)


@pytest.mark.parametrize("scale", [0.8, 1.6])
@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_no_text_of_the_dialog_is_cut_off_in_any_state(
    program: Program, code: str, scale: float
) -> None:
    running = program.start_ready()
    running.window.resize(720, 560)
    running.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        running.settings_on_screen._on_changed(name)
    found: set[str] = set()
    with update_dialog(running, Form.DEB, EVERY_STATE[0]) as (dialog, updating):
        for state in EVERY_STATE:
            updating._become(state)
            program.qtbot.wait(20)
            found |= {f"{state.stage}: {each}" for each in troubles(dialog)}
            assert dialog.width() <= 720
    for form in set(Form) - {Form.SOURCE, Form.DEB}:
        with update_dialog(running, form, READY) as (dialog, _):
            program.qtbot.wait(20)
            found |= {f"{form}: {each}" for each in troubles(dialog)}
    assert found == set()


def test_the_dialog_is_used_with_the_keyboard_alone(program: Program) -> None:
    running = program.start_ready()
    with update_dialog(running, Form.DEB, UpdateState(Stage.FOUND, RELEASE)) as (dialog, updating):
        reached = set()
        for _ in range(6):
            reached.add(dialog.focusWidget())
            QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        assert {dialog.fetch, dialog.later, dialog.notes} <= reached
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()
        assert updating.state.stage is Stage.FOUND
