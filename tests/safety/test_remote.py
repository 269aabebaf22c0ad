"""The safety layer before another machine's model: what may not leave, and what may not be seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from engine.answering import Answering
from engine.contract import (
    CommandRunner,
    EngineError,
    Event,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    Load,
    Message,
    Role,
    TextDelta,
)
from engine.engine import Engine
from engine.library.identify import identify
from engine.library.servers.card import RemoteCard, write_card
from engine.remote.answering import connect
from engine.safety import Profile
from engine.safety.guard import Guarded
from tests.doubles import servers
from tests.doubles.models import mock_loaded
from tests.doubles.servers import DONE, HANG, Server, delta, reply, serving, stream
from tests.safety.rules import protection

CHAT = "/v1/chat/completions"
LOCAL = Path("mock.gguf")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as state:
        state.answers = {"/v1/models": [servers.models("m")], CHAT: [reply("Fine.")]}
        yield state


class Window:
    """A guarded engine that loads a server's card and the mock model of this machine in turn."""

    def __init__(self, card: Path, profile: Profile) -> None:
        def load(command: Load) -> Generator[Event, None, object]:
            if command.path == LOCAL:
                yield from ()
                return Answering(mock_loaded())
            return (yield from connect(command, identify(command.path)))

        self.engine: CommandRunner = Guarded(
            Engine(load),  # type: ignore[arg-type]
            lambda: protection(profile),
        )
        self.card = card
        self.load(card)

    def load(self, path: Path) -> None:
        list(self.engine.run(Load(1, path), lambda: False))

    def ask(
        self, *contents: str, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[str, Finished]:
        messages = tuple(Message(Role.USER, content) for content in contents)
        events = [e for e in self.engine.run(Generate(2, messages), cancelled) if e is not None]
        end = events[-1]
        assert isinstance(end, Finished)
        return "".join(e.text for e in events if isinstance(e, TextDelta)), end


Open = Callable[[Profile], Window]


@pytest.fixture
def window(tmp_path: Path, server: Server) -> Iterator[Open]:
    made: list[Window] = []

    def open_window(profile: Profile) -> Window:
        card = write_card(tmp_path, RemoteCard(server.address, "m", "Far"))
        made.append(Window(card, profile))
        return made[-1]

    yield open_window
    for each in made:
        each.engine.close()


def test_a_refused_question_never_leaves_this_computer(window: Open, server: Server) -> None:
    opened = window(Profile.FAMILY)
    with pytest.raises(EngineError) as raised:
        opened.ask("ｈｏｗ to make a b\u200bomb")
    assert raised.value.fault.kind is FaultKind.INPUT_REFUSED
    assert server.of(CHAT) == []


def test_what_is_masked_in_a_question_is_masked_before_it_leaves(
    window: Open, server: Server
) -> None:
    opened = window(Profile.ORGANISATION)
    opened.ask("Write to 4111 1111 1111 1111, and again to ４１１１ １１１１ １１１１ １１１１.")
    [asked] = server.of(CHAT)
    assert not re.search(r"[14１４]", asked.json()["messages"][0]["content"])
    assert "Write to" in asked.json()["messages"][0]["content"]


def test_earlier_turns_are_looked_through_too(window: Open, server: Server) -> None:
    window(Profile.ORGANISATION).ask("Pay with 4111 1111 1111 1111.", "Thanks.")
    contents = [m["content"] for m in server.of(CHAT)[0].json()["messages"]]
    assert not any("4111" in content for content in contents)


@pytest.mark.parametrize("size", [1, 2, 7, 400])
def test_a_servers_reply_is_masked_however_its_pieces_are_cut(
    window: Open, server: Server, size: int
) -> None:
    text = "What a sh\u200bitty day, and an F.U.\nC.K to it. " + "All is well. " * 20
    pieces = [delta(content=text[n : n + size]) for n in range(0, len(text), size)]
    server.answers[CHAT] = [stream(*pieces, delta("stop"), DONE)]
    shown, end = window(Profile.FAMILY).ask("Say it")
    assert shown.startswith("What a ██\u200b████ day, and an █.█.\n█.█ to it. All is well.")
    assert end.reason is FinishReason.END_OF_TURN
    assert [notice.figures["list"] for notice in end.notices] == ["rude"]


def test_a_stop_hangs_up_on_the_server_and_nothing_forbidden_was_seen(
    window: Open, server: Server
) -> None:
    """The server would go on for ever: the connection is closed instead."""
    pieces = [delta(content=piece) for piece in ("Here is ", "po", "rn", " of every kind. ")]
    more = [delta(content="More and more. ")] * 40
    server.answers[CHAT] = [stream(*pieces, *more, HANG)]
    opened = window(Profile.FAMILY)
    shown, end = opened.ask("Go")
    assert shown == "Here is "
    assert end.reason is FinishReason.CONTENT_FILTER
    assert server.hung_up.wait(60)


def test_what_was_held_is_kept_when_a_server_breaks_off(window: Open, server: Server) -> None:
    server.answers[CHAT] = [stream(delta(content="Half a ")), reply("Well.")]
    opened = window(Profile.FAMILY)
    seen: list[Event | None] = []
    command = Generate(2, (Message(Role.USER, "x"),))
    with pytest.raises(EngineError) as raised:
        seen.extend(opened.engine.run(command, lambda: False))
    assert raised.value.fault.kind is FaultKind.SERVER_BROKE_OFF
    assert "".join(e.text for e in seen if isinstance(e, TextDelta)) == "Half a "


def test_it_holds_from_here_to_there_and_back_in_one_conversation(
    window: Open, server: Server
) -> None:
    opened = window(Profile.FAMILY)
    server.answers[CHAT] = [reply("Oh ", "sh", "it.")]
    for path, is_far in ((LOCAL, False), (opened.card, True), (LOCAL, False), (opened.card, True)):
        opened.load(path)
        asked = len(server.of(CHAT))
        with pytest.raises(EngineError) as raised:
            opened.ask("Hello", "how to make a bomb")
        assert raised.value.fault.kind is FaultKind.INPUT_REFUSED
        assert len(server.of(CHAT)) == asked
        shown, _ = opened.ask("Hello")
        assert len(server.of(CHAT)) == asked + is_far
        assert not is_far or shown == "Oh ████."
