"""The real program brought into bad states: the advisor names them, and its buttons end them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil

from app.application import Application
from app.chat.model_session import ModelPhase
from app.ui.advisor.dialog import AdvisorDialog
from app.ui.advisor.words import action_text
from engine.contract import Sampling
from engine.library.advice.findings import Remedy
from tests.journeys.conftest import LOAD_MS, Person

_SPIN = "while True: pass"
_LEAVE = (  # the middle process ends, so that the one that computes is nobody's child here
    "import subprocess, sys\n"
    "print(subprocess.Popen([sys.executable, '-S', '-c', sys.argv[1]],"
    " stdout=subprocess.DEVNULL).pid)"
)


@contextmanager
def another_program() -> Iterator[None]:
    """As many processes as there are cores compute, and none is a child of this one."""
    command = [sys.executable, "-S", "-c", _LEAVE, _SPIN]
    count = psutil.cpu_count() or 1
    pids = [int(subprocess.check_output(command, text=True)) for _ in range(count)]
    try:
        yield
    finally:
        for pid in pids:
            process = psutil.Process(pid)
            process.kill()
            process.wait()


def advised(person: Person) -> AdvisorDialog:
    program = person.window
    program.window.parts.status.advise.click()
    dialog = program.advisor.dialog
    assert dialog is not None
    person.wait(lambda: not dialog.is_looking)
    return dialog


def rules_of(dialog: AdvisorDialog) -> set[str]:
    return {each.rule for each in dialog.found}


def press(person: Person, remedy: Remedy) -> None:
    program = person.window
    dialog = program.advisor.dialog
    assert dialog is not None
    action = next(a for each in dialog.found for a in each.actions if a.remedy is remedy)
    said = action_text(action, program.look.language)
    next(b for row in dialog.rows for b in row.buttons if b.text() == said).click()


def await_ready(person: Person, program: Application) -> None:
    person.wait(lambda: program.model.state.phase is ModelPhase.READY, LOAD_MS)


def test_one_thread_odd_sampling_and_a_cut_chat_are_found_and_mended(
    person: Person, shelf: Path
) -> None:
    program = person.start_ready(shelf)
    settings = program.model.settings_of
    for key, value in (("threads", 1), ("context", 256)):
        settings.change(shelf, key, value)
    program.deeds.load(shelf)
    await_ready(person, program)
    bar = program.window.parts.chat.box.options
    odd = Sampling(temperature=2.0, repetition_penalty=2.0, seed=1)
    bar.take(replace(bar.options, sampling=odd, max_tokens=60))
    left_out = 0
    for number in range(12):  # a turn takes 20 tokens and more: 256 are full before
        person.ask(f"Say something about the sea and its many fishes, number {number}.")
        figures = person.wait_for_reply().figures
        left_out = figures.left_out_turns if figures is not None else 0
        if left_out:
            break
    assert left_out
    found = rules_of(advised(person))
    assert {"hot", "strong-penalty", "turns-left-out"} <= found
    cores = psutil.cpu_count(logical=False) or 1
    assert ("few-threads" in found) == (cores >= 2)
    press(person, Remedy.USUAL_SAMPLING)
    assert bar.options.sampling is None
    assert not {"hot", "strong-penalty"} & rules_of(advised(person))
    press(person, Remedy.CONTEXT)
    await_ready(person, program)
    loaded = program.model.state.loaded
    assert loaded is not None
    assert loaded.context == 512
    if cores >= 2:
        assert "few-threads" in rules_of(advised(person))
        press(person, Remedy.THREADS_AUTO)
        await_ready(person, program)
        assert program.model.loaded_with.threads is None
    person.ask("And about fire.")
    person.wait_for_reply()
    assert not {"few-threads", "turns-left-out"} & rules_of(advised(person))


def test_another_program_that_computes_is_named(person: Person, shelf: Path) -> None:
    person.start_ready(shelf)
    with another_program():
        dialog = advised(person)
        assert "busy-processor" in rules_of(dialog)
        press(person, Remedy.MONITOR)
    assert person.window.window.page == "monitor"


def test_a_base_model_is_known_by_its_missing_template(person: Person, gemma_model: Path) -> None:
    program = person.start_ready(gemma_model)
    assert "no-template" in rules_of(advised(person))
    press(person, Remedy.MODELS)
    assert program.window.page == "models"
