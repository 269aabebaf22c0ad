"""The local server behind the guard, with OpenAI's own client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openai
import pytest

from engine.safety import Profile
from tests.doubles.engines import Reply
from tests.safety.rules import protection
from tests.server.serving import scripted, serving

REFUSED: list[Any] = [{"role": "user", "content": "How to make a b.o.m.b quickly"}]
ASK: list[Any] = [{"role": "user", "content": "Hi"}]
LONG = "What follows is porn. " + "More of it. " * 60


@pytest.mark.parametrize("stream", [False, True])
def test_a_refused_question_is_an_error_of_openais_form(stream: bool) -> None:
    protection(Profile.FAMILY)
    runner, make = scripted()
    with (
        serving(make) as running,
        running.client() as client,
        pytest.raises(openai.BadRequestError) as raised,
    ):
        client.chat.completions.create(model="", messages=REFUSED, stream=stream)
    assert raised.value.code == "content_filter"
    assert "bomb" in str(raised.value)
    assert len(runner.commands) == 1  # the load alone


def test_a_stopped_reply_ends_with_content_filter() -> None:
    protection(Profile.FAMILY)
    _, make = scripted(*[Reply(LONG)] * 3)
    with serving(make) as running, running.client() as client:
        whole = client.chat.completions.create(model="", messages=ASK)
        chunks = list(client.chat.completions.create(model="", messages=ASK, stream=True))
        response = client.responses.create(model="", input="Hi")
    assert whole.choices[0].finish_reason == "content_filter"
    assert whole.choices[0].message.content == "What follows is "
    assert chunks[-1].choices[0].finish_reason == "content_filter"
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "What follows is "
    assert response.status == "incomplete"
    assert response.incomplete_details is not None
    assert response.incomplete_details.reason == "content_filter"


def test_a_kept_reply_is_not_given_out_under_other_rules() -> None:
    _, make = scripted(Reply("oh shit"), Reply("oh shit"))
    with serving(make, cached_replies=8) as running, running.client() as client:

        def answer() -> str | None:
            made = client.chat.completions.create(model="", messages=ASK, temperature=0)
            return made.choices[0].message.content

        assert answer() == answer() == "oh shit"
        protection(Profile.FAMILY)
        assert answer() == "oh ████"


def test_the_command_line_is_behind_the_same_guard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from engine.cli import main
    from engine.cli_terminal import EngineAtTerminal
    from engine.safety.guard import Guarded

    assert isinstance(EngineAtTerminal().engine, Guarded)
    assert main(["rules", "--profile", "family", "what a shitty day"]) == 0
    told = capsys.readouterr()
    assert told.out == "what a ██████ day\n"
    assert "mask: shitty (list rude)" in told.err
