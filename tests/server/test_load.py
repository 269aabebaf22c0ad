"""Many clients at once: nothing is lost, what leaves is cancelled, what is too much is told so."""

from __future__ import annotations

import http.client
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

from engine.contract import Finished, FinishReason, Generate
from tests.doubles.engines import Reply
from tests.doubles.models import END, expected_reply
from tests.server.serving import KEY, Serving, mock_engine, scripted, serving

CLIENTS = 32


def latin(ids: list[int]) -> str:
    return "".join(chr(id) for id in ids if id != END)


def leave_early(running: Serving, prompt: str, after: int) -> None:
    """Ask for a stream, read some bytes, and hang up."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=120)
    body = {"prompt": prompt, "max_tokens": 150, "stream": True, "temperature": 0}
    headers = {"Authorization": f"Bearer {KEY}"}
    connection.request("POST", "/v1/completions", json.dumps(body), headers)
    response = connection.getresponse()
    response.read(after)
    response.close()
    connection.close()


def talk(running: Serving, number: int) -> int:
    """Five requests of one client, each with the one right answer; how many were answered."""
    dice = random.Random(number)
    with running.client(timeout=300) as client:
        for turn in range(5):
            prompt = f"{number}/{turn} " + "x" * dice.randrange(60)
            wanted = dice.randrange(1, 40)
            kind = dice.randrange(4)
            if kind == 0:
                leave_early(running, prompt, dice.randrange(1, 900))
            elif kind == 1:
                with pytest.raises(openai.BadRequestError):
                    client.completions.create(model="", prompt=prompt, temperature=-1)
            else:
                made: Any = client.completions.create(
                    model="", prompt=prompt, max_tokens=wanted, stream=kind == 2, temperature=0
                )
                text = (
                    "".join(p.choices[0].text for p in made) if kind == 2 else made.choices[0].text
                )
                assert text == latin(expected_reply(list(prompt.encode()), wanted)), prompt
    return 5


def test_32_clients_of_every_kind_lose_nothing() -> None:
    """Greedy answers of the mock model are known, so a mixed-up or lost token would show."""
    with serving(mock_engine) as running, ThreadPoolExecutor(CLIENTS) as threads:
        answered = list(threads.map(lambda number: talk(running, number), range(CLIENTS)))
        records = [running.record() for _ in range(5 * CLIENTS)]
        with running.client() as client:  # and afterwards all room is free
            assert client.completions.create(model="", prompt="x", n=16, max_tokens=2)
    assert answered == [5] * CLIENTS
    assert {record.status for record in records} <= {200, 400, 499}


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_disconnects_is_cancelled(stream: bool) -> None:
    runner, make = scripted(Reply("One", endless=True), tokens_per_second=300)
    with serving(make) as running:
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=120)
        body = {"messages": [{"role": "user", "content": "x"}], "stream": stream}
        headers = {"Authorization": f"Bearer {KEY}"}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        if stream:
            connection.getresponse().read(50)
        else:
            while not any(isinstance(command, Generate) for command in runner.commands):
                time.sleep(0.01)
        connection.close()
        assert running.record().status == 499
        events = iter(lambda: running.events.get(timeout=120), None)
        end = next(event for event in events if isinstance(event, Finished))
    assert end.reason is FinishReason.CANCELLED


def test_more_than_the_limit_is_told_to_come_again() -> None:
    _, make = scripted(Reply("One", endless=True), Reply("Fine."), tokens_per_second=300)
    ask: list[Any] = [{"role": "user", "content": "x"}]
    with serving(make, most_open=2) as running, running.client() as client:
        stream = client.chat.completions.create(model="", messages=ask, stream=True)
        next(iter(stream))
        with pytest.raises(openai.RateLimitError) as error:
            client.chat.completions.create(model="", messages=ask, n=2)
        assert error.value.response.headers["retry-after"] == "1"
        assert client.chat.completions.create(model="", messages=ask).choices
        stream.close()


def test_stopping_the_server_ends_what_it_answers() -> None:
    _, make = scripted(Reply("One", endless=True), tokens_per_second=300)
    with serving(make) as running, running.client() as client:
        stream = client.chat.completions.create(
            model="", messages=[{"role": "user", "content": "x"}], stream=True
        )
        next(iter(stream))
        running.server.ask_to_stop()
        with pytest.raises(openai.APIError):
            list(stream)
        assert running.server.join(60)
