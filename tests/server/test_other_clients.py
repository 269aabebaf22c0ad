"""Clients of other projects: langchain-openai and LlamaIndex's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doubles.engines import Reply
from tests.server.serving import KEY, Serving, scripted, serving

CALL = '{"name": "weather", "arguments": {"city": "Bonn"}}'


@pytest.fixture
def running() -> Iterator[Serving]:
    replies = (Reply("Fine, thanks."), Reply("One two three"), Reply(CALL))
    _, make = scripted(*replies)
    with serving(make) as found:
        yield found


def test_langchain_asks_streams_and_calls(running: Serving) -> None:
    langchain = pytest.importorskip("langchain_openai")  # comes with the test packages
    model = langchain.ChatOpenAI(base_url=running.address, api_key=KEY, model="default")
    assert model.invoke("How are you?").content == "Fine, thanks."
    assert "".join(piece.content for piece in model.stream("Count.")) == "One two three"
    tool = {
        "name": "weather",
        "description": "of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    }
    bound = model.bind_tools([tool], tool_choice="weather")
    [call] = bound.invoke("Rain in Bonn?").tool_calls
    assert (call["name"], call["args"]) == ("weather", {"city": "Bonn"})


def test_llama_index_asks_and_streams(running: Serving) -> None:
    llama_index = pytest.importorskip("llama_index.llms.openai_like")
    model = llama_index.OpenAILike(
        model="default", api_base=running.address, api_key=KEY, is_chat_model=False
    )
    assert model.complete("How are you?").text == "Fine, thanks."
    assert "".join(piece.delta for piece in model.stream_complete("Count.")) == "One two three"
