"""The strip "Try it": live odds of the next word, and a sentence where there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from app.application import Application
from app.chat.model_session import ModelPhase
from app.chat.trying import Trying, TryPhase
from app.ui.chat_settings.try_strip import TryStrip, word_shown
from engine.contract import Command, Complete, Event, Loaded, Priority, Sampling
from tests.app.conftest import Program
from tests.app.legible import troubles
from tests.app.test_application import ask
from tests.doubles.engines import Reply, ScriptedRunner


def opened(program: Program, running: Application) -> tuple[TryStrip, Trying]:
    running.window.show_page("settings")
    page = running.window.parts.settings
    page.open_section("open-chat")
    return page.open_chat.tried, running.chat_settings._trying


def settled(program: Program, trying: Trying, phase: TryPhase = TryPhase.LIVE) -> None:
    program.qtbot.waitUntil(lambda: trying.phase is phase and not trying._still.isActive())
    program.qtbot.waitUntil(lambda: not trying._request)


def asked(runner: ScriptedRunner) -> list[Complete]:
    return [each for each in runner.commands if isinstance(each, Complete)]


def test_words_have_their_odds_what_they_were_and_the_cut_are_struck_through(
    program: Program,
) -> None:
    runner = ScriptedRunner()
    running = program.start_ready(runner)
    strip, trying = opened(program, running)
    settled(program, trying)
    first = strip.columns[0]
    usual = first.odds.text()
    assert first.name.text() == "sound"
    assert first.was.text() == f"was {usual}"
    assert "SmolLM2-135M-Instruct, live" in strip.state.text()
    (once,) = asked(runner)
    assert (once.settings.max_tokens, once.settings.priority) == (1, Priority.BACKGROUND)
    assert once.prompt.startswith("The best thing about a rainy Sunday")
    rows = running.window.parts.settings.open_chat.sampling.rows
    rows["temperature"].control.choose(0.3)
    rows["top_k"].control.choose(3)
    settled(program, trying)
    assert len(asked(runner)) == 2  # both changes at once, and the usual odds were known
    assert asked(runner)[-1].settings.sampling == Sampling(temperature=0.3, top_k=3, seed=0)
    assert first.odds.text() != usual
    assert first.was.text() == f"was {usual}"
    cut = strip.columns[3]
    assert (cut.odds.text(), cut.name.property("kind")) == ("cut", "struck")
    assert cut.accessibleName().startswith("chance: cut, was ")
    assert strip.columns[2].name.property("kind") == "small"


def test_nothing_is_asked_out_of_sight_and_the_monitor_counts_none_of_it(
    program: Program,
) -> None:
    runner = ScriptedRunner()
    running = program.start_ready(runner)
    strip, trying = opened(program, running)
    settled(program, trying)
    before = len(asked(runner))
    running.window.show_page("chat")
    assert not strip.isVisible()
    running.window.parts.chat.box.options.preset._choose("creative")
    assert not trying._still.isActive()
    assert len(asked(runner)) == before
    assert not running.monitoring._asked
    running.window.show_page("settings")
    settled(program, trying)
    assert asked(runner)[-1].settings.sampling.temperature == 1.2  # type: ignore[union-attr]


def test_while_an_answer_is_written_it_waits_and_then_goes_on(program: Program) -> None:
    runner = ScriptedRunner([Reply("one", lingers=True)])
    running = program.start_ready(runner)
    ask(running, "question")
    session = running.window.parts.chat.session
    assert session is not None
    program.qtbot.waitUntil(lambda: session.state.busy)
    strip, trying = opened(program, running)
    settled(program, trying, TryPhase.WAITING)
    assert "Waits" in strip.message.text()
    assert not asked(runner)
    session.stop()
    settled(program, trying)
    assert asked(runner)
    assert strip.columns[0].name.text() == "sound"


def test_without_a_model_it_says_so_and_goes_on_with_one(program: Program) -> None:
    running = program.start()
    strip, trying = opened(program, running)
    settled(program, trying, TryPhase.NONE)
    assert "Load a model" in strip.message.text()
    assert strip.message.isVisible()
    running.deeds.load(program.shelves.add("SmolLM2-135M-Instruct"))
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    opened(program, running)
    settled(program, trying)
    assert not strip.message.isVisible()


class Elsewhere(ScriptedRunner):
    """A model on a server."""

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        for event in super().run(command, cancelled):
            if isinstance(event, Loaded):
                yield replace(event, model=replace(event.model, server="a.example"))
            else:
                yield event


def test_a_remote_model_is_not_asked(program: Program) -> None:
    runner = Elsewhere()
    strip, trying = opened(program, program.start_ready(runner))
    settled(program, trying, TryPhase.REMOTE)
    assert "runs on a server" in strip.message.text()
    assert not asked(runner)


def test_another_language_has_another_beginning(program: Program) -> None:
    runner = ScriptedRunner()
    running = program.start_ready(runner)
    strip, trying = opened(program, running)
    settled(program, trying)
    running.look.language.use("zh_CN")
    program.qtbot.waitUntil(lambda: asked(runner)[-1].prompt.startswith("下雨"))
    settled(program, trying)
    assert strip.columns[0].was.text().startswith("原为")


def test_a_narrow_window_shows_fewer_words(program: Program) -> None:
    running = program.start_ready()
    strip, trying = opened(program, running)
    settled(program, trying)
    running.window.resize(1280, 832)
    program.qtbot.waitUntil(lambda: sum(each.isVisible() for each in strip.columns) == 5)
    running.window.resize(720, 560)
    program.qtbot.waitUntil(lambda: sum(each.isVisible() for each in strip.columns) < 5)
    assert strip.columns[1].isVisible()
    program.qtbot.waitUntil(lambda: set(troubles(strip)) == set())


def test_a_word_is_shown_without_the_space_before_it_and_half_a_character_as_bytes() -> None:
    assert [word_shown(raw) for raw in (b" sound", b" ", b"\n", "雨".encode()[:2])] == [
        "sound", "·", "↵", "<E9 9B>",
    ]  # fmt: skip
