"""The offline switch: what needs the network says so, and nothing is asked."""

from __future__ import annotations

from engine.contract import Fault, FaultKind, Load
from engine.library.downloads.order import Order
from engine.library.hubs.hub import HubQuery
from tests.app.conftest import Program
from tests.doubles.engines import LoadScript, ScriptedRunner


def test_S14_everything_that_needs_the_network_is_refused_by_name(program: Program) -> None:
    runner = ScriptedRunner()
    running = program.start_ready(runner)
    running.window.show_page("settings")
    running.window.parts.settings.control("offline").choose(True)
    faults: list[Fault] = []
    running.downloads.failed.connect(faults.append)
    running.downloads.search("huggingface", HubQuery("qwen"), lambda _: None, faults.append)
    running.downloads.look("huggingface", "a/b", lambda _: None, faults.append)
    running.downloads.resume("a")
    running.downloads.add(Order("a", "a", "a", ()), faults.append)
    running.shelf.fetch_starter()
    assert [fault.kind for fault in faults] == [FaultKind.OFFLINE] * 4
    assert running.shelf.fetch.fault is not None
    assert running.shelf.fetch.fault.kind is FaultKind.OFFLINE
    running.downloads.begin()
    assert running.downloads._queue is None


def test_S14_what_is_refused_leads_to_the_switch(program: Program) -> None:
    running = program.start()
    running.settings.change(offline=True)
    running.window.show_page("welcome")
    starter = running.window.parts.welcome.starter
    assert not starter.remedy.isVisible()
    starter.start.click()
    program.qtbot.waitUntil(starter.remedy.isVisible)
    starter.remedy.click()
    assert running.window.page == "settings"
    running.window.show_page("add_model")
    finder = running.window.parts.add_model.finder
    finder.field.setText("qwen")
    finder.search.click()
    assert "Offline is switched on" in finder.said.text()
    assert finder.remedy.text() == "Open settings"
    finder.remedy.click()
    assert running.window.page == "settings"


def test_a_remote_model_is_loaded_as_offline(program: Program) -> None:
    runner = ScriptedRunner()
    running = program.start_ready(runner)
    assert [each.is_offline for each in runner.commands if isinstance(each, Load)] == [False]
    running.settings.change(offline=True)
    path = running.model.state.path
    assert path is not None
    running.model.load(path)
    program.qtbot.waitUntil(
        lambda: (
            [each.is_offline for each in runner.commands if isinstance(each, Load)] == [False, True]
        )
    )


def test_what_was_refused_offline_is_said_no_longer_when_the_switch_is_off(
    program: Program,
) -> None:
    fault = Fault(FaultKind.OFFLINE, {"host": "models.example.com"})
    path = program.shelves.add("far")
    running = program.start(ScriptedRunner(loads=[LoadScript(fault=fault)]), path)
    running.settings.change(offline=True)
    program.qtbot.waitUntil(lambda: "model" in running.window.notices._bars)
    running.settings.change(offline=False)
    assert "model" not in running.window.notices._bars


def test_contrast_and_accent_act_at_once_and_are_kept(program: Program) -> None:
    running = program.start_ready()
    theme = running.look.theme
    malachite = theme.color("accent").name()
    running.window.show_page("settings")
    page = running.window.parts.settings
    page.control("accent").choose("azurite")
    page.control("contrast").choose("high")
    assert theme.color("accent") == theme.color("azurite") != malachite
    assert theme.color("ink3") == theme.color("ink")
    program.end()
    running = program.start()
    assert running.look.theme.strong
    assert running.look.theme.color("accent") == running.look.theme.color("azurite")
