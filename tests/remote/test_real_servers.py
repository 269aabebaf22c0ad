"""The remote client against real other programs on loopback, each with the starter model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from engine.contract import (
    Channel,
    Command,
    EngineError,
    Event,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Load,
    Loaded,
    Message,
    Metrics,
    Role,
    Sampling,
    TextDelta,
)
from engine.engine import Engine
from engine.library.servers.access import Access
from engine.library.servers.asking import ask_server, try_model
from engine.library.servers.card import RemoteCard, write_card
from tests.remote import real_servers
from tests.remote.real_servers import RealServer

pytestmark = pytest.mark.timeout(2 * real_servers.STARTS_S)

GREEDY = Sampling(temperature=0.0)
COUNTING = (
    Message(Role.SYSTEM, "You count."),
    Message(Role.USER, "Count: one, two, three"),
    Message(Role.ASSISTANT, "one, two, three, four, five, six, seven, eight, nine, ten"),
    Message(Role.USER, "Count: one, two, three"),
)


@pytest.fixture(scope="module", params=["inkstone", "llama.cpp", "transformers"])
def server(
    request: pytest.FixtureRequest, starter_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealServer]:
    opened: AbstractContextManager[RealServer]
    if request.param == "inkstone":
        opened = real_servers.inkstone(starter_model)
    elif request.param == "llama.cpp":
        opened = real_servers.llama_cpp(starter_model)
    else:
        folder = tmp_path_factory.mktemp("transformers") / "starter"
        opened = real_servers.transformers_serve(starter_model, folder)
    with opened as running:
        yield running


@pytest.fixture
def engine(server: RealServer, tmp_path: Path) -> Iterator[Engine]:
    made = Engine()
    card = RemoteCard(server.address, server.model, "Far", _kind(server))
    run(made, Load(1, write_card(tmp_path, card), key=server.key))
    yield made
    made.close()


def _kind(server: RealServer) -> str:
    """What a person chooses in the form; transformers tells nobody that it is it."""
    return "transformers" if server.name == "transformers" else "other"


def run(engine: Engine, command: Command, stop_after: int = -1) -> list[Event]:
    """The events of a command; cancelled after so many pieces of text."""
    events: list[Event] = []

    def is_enough() -> bool:
        return 0 <= stop_after <= sum(isinstance(each, TextDelta) for each in events)

    for each in engine.run(command, is_enough):
        if each is not None:
            events.append(each)
    return events


def ask(engine: Engine, stop_after: int = -1, **settings: object) -> tuple[str, list[Event]]:
    chosen = GenerateSettings(GREEDY, **settings)  # type: ignore[arg-type]
    events = run(engine, Generate(2, COUNTING, chosen), stop_after)
    deltas = [event for event in events if isinstance(event, TextDelta)]
    return "".join(each.text for each in deltas if each.channel is Channel.ANSWER), events


def ended(events: list[Event]) -> Finished:
    assert isinstance(events[-1], Finished)
    return events[-1]


def test_it_lists_its_model_and_answers_the_forms_test(server: RealServer) -> None:
    access = Access(RemoteCard(server.address, server.model), server.key)
    assert server.model in {each.id for each in ask_server(access).models}
    assert 0 < try_model(access) < 60


def test_a_reply_streams_with_figures(engine: Engine) -> None:
    text, events = ask(engine, max_tokens=24)
    end = ended(events)
    assert "two" in text
    # a quick server sends its text some tokens at a time, so how many pieces came says nothing
    assert sum(isinstance(event, TextDelta) for event in events) > 1
    assert end.reason in {FinishReason.LENGTH, FinishReason.END_OF_TURN}
    # llama-cpp-python counts no streamed reply: then it is estimated here
    counted = end.usage.prompt_tokens
    assert 40 < counted < 90 or (counted == 0 and end.usage.context_used > 10)
    assert 4 < end.usage.generated_tokens <= 26
    assert 0 < end.timings.time_to_first_token_s < 60
    assert end.timings.tokens_per_second is None or end.timings.tokens_per_second > 0
    assert all(event.generated_tokens <= 24 for event in events if isinstance(event, Metrics))


def test_a_stop_string_ends_it_and_is_not_shown(engine: Engine) -> None:
    text, events = ask(engine, max_tokens=40, stop=("four",))
    assert "three" in text
    assert "four" not in text
    assert ended(events).reason in {FinishReason.STOP_STRING, FinishReason.END_OF_TURN}


def test_stopped_by_a_person_the_next_reply_comes_at_once(engine: Engine) -> None:
    text, events = ask(engine, stop_after=1)
    assert text
    assert ended(events).reason is FinishReason.CANCELLED
    again, events = ask(engine, max_tokens=12)
    assert "two" in again
    assert ended(events).reason is not FinishReason.CANCELLED


def test_it_is_told_as_the_server_that_it_is(server: RealServer, tmp_path: Path) -> None:
    card = RemoteCard(server.address, server.model, kind=_kind(server))
    made = Engine()
    events = run(made, Load(1, write_card(tmp_path, card), key=server.key))
    made.close()
    loaded = next(event for event in events if isinstance(event, Loaded))
    assert loaded.model.server == server.address
    if server.name == "inkstone":
        assert loaded.context == 2048


def test_a_wrong_key_is_said_by_name(server: RealServer, tmp_path: Path) -> None:
    if not server.key:
        pytest.skip(f"{server.name} asks for no key")
    path = write_card(tmp_path, RemoteCard(server.address, server.model))
    for key, kind in (("sk-wrong", FaultKind.KEY_REFUSED), ("", FaultKind.KEY_NEEDED)):
        made = Engine()
        with pytest.raises(EngineError) as caught:
            run(made, Load(1, path, key=key))
        made.close()
        assert caught.value.fault.kind is kind


def test_a_model_that_it_lacks_is_said_by_name(server: RealServer, tmp_path: Path) -> None:
    if server.name != "inkstone":
        pytest.skip(f"{server.name} answers with its model whatever is asked for")
    made = Engine()
    path = write_card(tmp_path, RemoteCard(server.address, "no-such-model"))
    run(made, Load(1, path, key=server.key))
    with pytest.raises(EngineError) as caught:
        ask(made)
    made.close()
    assert caught.value.fault.kind is FaultKind.MODEL_GONE
