"""The openai package against the server: what its users rely on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import openai
import pytest

from engine.contract import (
    Channel,
    Command,
    Complete,
    ConstraintKind,
    Event,
    Fault,
    FaultKind,
    FinishReason,
    Generate,
    Priority,
    Role,
    TextDelta,
    Thinking,
    TokenChoice,
    Unload,
)
from tests.doubles.engines import Reply
from tests.doubles.models import END, expected_reply
from tests.server.serving import ForegroundScript, Serving, mock_engine, scripted, serving

ASK: list[Any] = [{"role": "user", "content": "Hi"}]
PROMPT = [ord("u"), *b"Hi", END, ord("a")]
CALL = '{"name": "weather", "arguments": {"city": "Köln"}}\n'
TOOL: Any = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}


def latin(ids: list[int]) -> str:
    return "".join(chr(id) for id in ids if id != END)


@pytest.fixture(scope="module")
def mock() -> Iterator[Serving]:
    """The real engine over the mock model: exact, and instant."""
    with serving(mock_engine) as running:
        yield running


def test_chat_whole_and_streamed_say_the_same_with_their_figures(mock: Serving) -> None:
    with mock.client() as client:
        whole = client.chat.completions.create(model="scripted", messages=ASK, max_tokens=9)
        chunks = list(
            client.chat.completions.create(
                model="default",
                messages=ASK,
                max_tokens=9,
                stream=True,
                stream_options={"include_usage": True},
            )
        )
    choice = whole.choices[0]
    assert choice.message.content == latin(expected_reply(PROMPT, 9))
    assert choice.finish_reason == "length"
    assert whole.usage is not None
    assert (whole.usage.prompt_tokens, whole.usage.completion_tokens) == (5, 9)
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == choice.message.content
    assert chunks[-2].choices[0].finish_reason == "length"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 9
    assert {chunk.id for chunk in chunks} == {chunks[0].id}
    assert mock.record().generated_tokens == mock.record().generated_tokens == 9


def test_n_choices_come_apart_and_a_seed_repeats_them(mock: Serving) -> None:
    def ask(client: openai.OpenAI) -> list[str | None]:
        made = client.chat.completions.create(
            model="", messages=ASK, n=3, seed=-7, temperature=1.5, max_tokens=8
        )
        assert [choice.index for choice in made.choices] == [0, 1, 2]
        assert made.usage is not None
        assert made.usage.prompt_tokens == 5  # once, however many answers
        return [choice.message.content for choice in made.choices]

    with mock.client() as client:
        first = ask(client)
        assert len(set(first)) == 3
        assert ask(client) == first


def test_log_probabilities_come_with_their_alternatives(mock: Serving) -> None:
    with mock.client() as client:
        made = client.chat.completions.create(
            model="", messages=ASK, max_tokens=4, logprobs=True, top_logprobs=3
        )
        raw = client.completions.create(model="", prompt="Once", max_tokens=4, logprobs=2)
    assert made.choices[0].logprobs is not None
    tokens = made.choices[0].logprobs.content or []
    assert len(tokens) == 4
    assert all(len(token.top_logprobs) == 3 and token.logprob < 0 for token in tokens)
    odds = raw.choices[0].logprobs
    assert odds is not None
    assert odds.text_offset == [0, 1, 2, 3]


def test_the_bytes_of_half_a_character_are_its_own() -> None:
    halves = tuple(
        TokenChoice(id, "\ufffd", -0.5, ((id, "\ufffd", -0.5, raw),), raw=raw)
        for id, raw in ((1, b"\xe7"), (2, b"\xa0\x9a"))
    )

    class Halves(ForegroundScript):
        def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
            for event in super().run(command, cancelled):
                whole = isinstance(event, TextDelta) and event.text == "砚"
                yield replace(event, tokens=halves) if whole else event  # type: ignore[type-var]

    with serving(lambda: Halves((Reply("砚"),))) as running, running.client() as client:
        made = client.chat.completions.create(model="", messages=ASK, logprobs=True, top_logprobs=1)
    assert made.choices[0].logprobs is not None
    tokens = made.choices[0].logprobs.content or []
    assert bytes(byte for token in tokens for byte in token.bytes or []).decode() == "砚"
    assert [token.top_logprobs[0].bytes for token in tokens] == [[0xE7], [0xA0, 0x9A]]


def test_completions_continue_each_prompt_and_repeat_it_where_asked(mock: Serving) -> None:
    with mock.client() as client:
        made = client.completions.create(
            model="", prompt=["Once", "Two"], max_tokens=5, echo=True, temperature=0
        )
        pieces = client.completions.create(model="", prompt="Once", max_tokens=5, stream=True)
        streamed = "".join(piece.choices[0].text for piece in pieces)
    assert [choice.text for choice in made.choices] == [
        start + latin(expected_reply(list(start.encode()), 5)) for start in ("Once", "Two")
    ]
    assert streamed == latin(expected_reply(list(b"Once"), 5))
    assert made.usage is not None
    assert made.usage.prompt_tokens == 7


def test_models_are_listed_and_an_unknown_one_is_refused(mock: Serving) -> None:
    with mock.client() as client:
        assert [model.id for model in client.models.list()] == ["scripted"]
        assert client.models.retrieve("scripted").owned_by == "local"
        with pytest.raises(openai.NotFoundError, match="loaded is scripted"):
            client.chat.completions.create(model="gpt-9", messages=ASK)


def test_embeddings_say_that_this_model_makes_none(mock: Serving) -> None:
    with mock.client() as client, pytest.raises(openai.BadRequestError, match="embeddings"):
        client.embeddings.create(model="scripted", input="x")


def test_a_conversation_that_does_not_fit_is_an_error_and_never_cut(mock: Serving) -> None:
    turns: list[Any] = [{"role": "user", "content": "x" * 400}] * 3
    with mock.client() as client, pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(model="", messages=turns)
    assert error.value.code == "context_length_exceeded"


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"temperature": 3}, "temperature"),
        ({"n": 0}, "n"),
        ({"extra_body": {"wishes": 3}}, "wishes"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, "messages.0.role"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "messages",
        ),
        (
            {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "x"}}},
            "tool_choice",
        ),
    ],
)
def test_what_is_wrong_is_named(mock: Serving, more: dict[str, Any], param: str) -> None:
    with mock.client() as client, pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(**{"model": "", "messages": ASK} | more)
    assert error.value.param == param


def test_I7_null_is_absent(mock: Serving) -> None:
    names = (
        "temperature top_p n stop max_tokens max_completion_tokens "
        "presence_penalty seed tools frequency_penalty logit_bias logprobs "
        "top_logprobs tool_choice response_format user stream stream_options "
        "parallel_tool_calls metadata reasoning_effort no_such_field "
    )
    nulls: dict[str, Any] = dict.fromkeys(names.split())
    message = {"role": "user", "content": "Hi", "name": None, "tool_calls": None}
    body = nulls | {"messages": [message], "max_tokens": None, "max_completion_tokens": 4}
    with mock.client() as client:
        made: Any = client.post("/chat/completions", body=body, cast_to=object)
        plain = client.chat.completions.create(model="", messages=ASK, max_tokens=4)
    assert made["choices"][0]["message"]["content"] == plain.choices[0].message.content


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/chat/completions", {"messages": ASK}),
        ("/completions", {"prompt": "Hi"}),
        ("/responses", {"input": "Hi"}),
    ],
)
def test_I7_null_reaches_the_engine_as_what_was_left_out(path: str, asked: dict[str, Any]) -> None:
    """Every optional field of the interface at once: both requests are the same command."""
    names = (
        "model temperature top_p n stop max_tokens max_completion_tokens max_output_tokens seed "
        "presence_penalty frequency_penalty logit_bias logprobs top_logprobs tools tool_choice "
        "response_format text user stream stream_options parallel_tool_calls metadata reasoning "
        "reasoning_effort instructions echo suffix best_of store previous_response_id"
    )
    runner, make = scripted(Reply("One."), Reply("One."))
    with serving(make) as running, running.client() as client:
        for body in (asked, dict.fromkeys(names.split()) | asked):
            client.post(path, body=body, cast_to=object)
    plain, nulls = (each for each in runner.commands if isinstance(each, Generate | Complete))
    assert replace(nulls, request=plain.request) == plain


def test_tools_go_in_and_calls_come_out_whole_and_streamed() -> None:
    said = ((Channel.REASONING, "Hm."), (Channel.ANSWER, "Let me see."), (Channel.TOOL_CALL, CALL))
    runner, make = scripted(Reply(pieces=said), Reply(pieces=said))
    history: list[Any] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Rain?"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city": "Bonn"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "dry"},
    ]
    with serving(make) as running, running.client() as client:
        made = client.chat.completions.create(model="", messages=history, tools=[TOOL])
        with client.chat.completions.stream(model="", messages=ASK, tools=[TOOL]) as stream:
            end = stream.get_final_completion()
    for choice in (made.choices[0], end.choices[0]):
        assert choice.finish_reason == "tool_calls"
        assert choice.message.content == "Let me see."
        [call] = choice.message.tool_calls or []
        assert call.type == "function"
        assert (call.function.name, json.loads(call.function.arguments)) == (
            "weather",
            {"city": "Köln"},
        )
    assert made.choices[0].message.model_dump()["reasoning_content"] == "Hm."
    asked = next(command for command in runner.commands if isinstance(command, Generate))
    assert [m.role for m in asked.messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL]
    assert asked.messages[2].tool_calls[0].arguments == '{"city": "Bonn"}'
    assert asked.messages[3].tool_call_id == "call_1"
    assert json.loads(asked.tools[0])["function"]["name"] == "weather"
    assert asked.settings.priority is Priority.BACKGROUND


def test_a_call_that_has_to_come_is_held_to_its_schema() -> None:
    runner, make = scripted(Reply(CALL), Reply('{"name": "wea', reason=FinishReason.LENGTH))
    with serving(make) as running, running.client() as client:
        made = client.chat.completions.create(
            model="", messages=ASK, tools=[TOOL], tool_choice="required"
        )
        cut = client.chat.completions.create(
            model="", messages=ASK, tools=[TOOL], tool_choice="required"
        )
    assert made.choices[0].message.tool_calls
    assert made.choices[0].message.content is None
    assert cut.choices[0].message.content == '{"name": "wea'
    assert cut.choices[0].finish_reason == "length"
    asked = next(command for command in runner.commands if isinstance(command, Generate))
    assert asked.settings.constraint is not None
    schema = json.loads(asked.settings.constraint.text)
    assert schema["properties"]["name"] == {"const": "weather"}


def test_every_wish_reaches_the_engine() -> None:
    runner, make = scripted(Reply('{"a": 1}'))
    form: Any = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    with serving(make) as running, running.client() as client:
        client.chat.completions.create(
            model="",
            messages=ASK,
            temperature=0.5,
            top_p=0.9,
            seed=3,
            stop=["a", "b"],
            frequency_penalty=0.1,
            presence_penalty=0.2,
            logit_bias={"12": -100},
            max_completion_tokens=7,
            response_format=form,
            extra_body={
                "top_k": 5,
                "min_p": 0.1,
                "chat_template_kwargs": {"enable_thinking": True},
            },
        )
    asked = next(command for command in runner.commands if isinstance(command, Generate))
    settings, sampling = asked.settings, asked.settings.sampling
    assert sampling is not None
    assert (sampling.temperature, sampling.top_p, sampling.seed) == (0.5, 0.9, 3)
    assert (sampling.top_k, sampling.min_p) == (5, 0.1)
    assert (sampling.frequency_penalty, sampling.presence_penalty) == (0.1, 0.2)
    assert sampling.logit_bias == ((12, -100.0),)
    assert (settings.stop, settings.max_tokens) == (("a", "b"), 7)
    assert asked.thinking is Thinking.ON
    assert settings.constraint is not None
    assert settings.constraint.kind is ConstraintKind.JSON_SCHEMA


def test_responses_whole_and_streamed() -> None:
    said = ((Channel.REASONING, "Hm."), (Channel.ANSWER, "Yes. "), (Channel.TOOL_CALL, CALL))
    runner, make = scripted(*(Reply(pieces=said),) * 2)
    tool: Any = {"type": "function", "name": "weather", "parameters": {}, "strict": False}
    items: Any = [
        {"role": "user", "content": [{"type": "input_text", "text": "Rain?"}]},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "dry"},
    ]
    with serving(make) as running, running.client() as client:
        whole = client.responses.create(
            model="scripted", instructions="Be brief.", input=items, tools=[tool]
        )
        with client.responses.stream(model="scripted", input="Rain?", tools=[tool]) as stream:
            kinds = [event.type for event in stream]
            end = stream.get_final_response()
        with pytest.raises(openai.BadRequestError, match="not kept"):
            client.responses.create(model="", input="x", previous_response_id="resp_1")
    for response in (whole, end):
        assert response.status == "completed"
        assert response.output_text == "Yes. "
        assert [item.type for item in response.output] == ["reasoning", "message", "function_call"]
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert "response.function_call_arguments.done" in kinds
    asked = next(command for command in runner.commands if isinstance(command, Generate))
    roles = [message.role for message in asked.messages]
    assert roles == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda of: of.retrieve("resp_1"), "no resp_1"),
        (lambda of: of.delete("resp_1"), "not kept"),
        (lambda of: of.cancel("resp_1"), "close the connection"),
        (lambda of: list(of.input_items.list("resp_1")), "not kept"),
        (lambda of: of.input_tokens.count(input="x"), "usage.input_tokens"),
        (lambda of: of.compact(model="", input="x"), "shorter input"),
    ],
)
def test_what_needs_kept_responses_says_that_they_are_not(
    mock: Serving, call: Callable[[Any], object], words: str
) -> None:
    with mock.client() as client, pytest.raises(openai.NotFoundError, match=words) as refused:
        call(client.responses)
    assert refused.value.code in {"response_not_found", "unsupported_endpoint"}
    assert refused.value.type == "invalid_request_error"


@pytest.mark.parametrize("stream", [False, True])
def test_a_fault_has_its_status_and_the_next_request_works(stream: bool) -> None:
    busy = Reply(fault=Fault(FaultKind.BUSY, {"waiting": 64, "limit": 64}), prefill=0)
    _, make = scripted(busy, Reply(bug=ZeroDivisionError("x"), prefill=0), Reply("Fine."))
    with serving(make) as running, running.client() as client:
        errors = (
            (openai.APIError,) if stream else (openai.RateLimitError, openai.InternalServerError)
        )
        for _ in range(2):
            with pytest.raises(errors):
                list(client.chat.completions.create(model="", messages=ASK, stream=stream))
        made = client.chat.completions.create(model="", messages=ASK)
    assert made.choices[0].message.content == "Fine."


def test_a_model_that_goes_away_is_said_and_no_half_answer_looks_whole() -> None:
    _, make = scripted(Reply("One", endless=True), tokens_per_second=200)
    with serving(make) as running, running.client() as client:
        stream = client.chat.completions.create(model="", messages=ASK, stream=True)
        next(iter(stream))
        running.service.submit(Unload(2))
        with pytest.raises(openai.APIError, match="unloaded"):
            list(stream)
        running.server.set_model(None)
        with pytest.raises(openai.InternalServerError, match="No model"):
            client.chat.completions.create(model="", messages=ASK)
        assert list(client.models.list()) == []


def test_a_repeated_deterministic_request_is_answered_from_the_cache_where_it_is_on() -> None:
    runner, make = scripted(Reply("First."), Reply("Second."), Reply("Third."))
    with serving(make, cached_replies=8) as running, running.client() as client:

        def ask(temperature: float, stream: bool = False) -> str:
            made: Any = client.chat.completions.create(
                model="", messages=ASK, temperature=temperature, stream=stream
            )
            if stream:
                return "".join(piece.choices[0].delta.content or "" for piece in made)
            return str(made.choices[0].message.content)

        assert [ask(0), ask(0), ask(0, stream=True), ask(1), ask(1)] == [
            "First.",
            "First.",
            "First.",
            "Second.",
            "Third.",
        ]
        assert [running.record().cached for _ in range(5)] == [False, True, True, False, False]
    assert len([c for c in runner.commands if isinstance(c, Generate | Complete)]) == 3


CODEX_TOOLS: list[Any] = [
    {"type": "function", "name": "shell", "strict": False, "parameters": {"type": "object"}},
    {"type": "function", "name": "plan", "strict": False, "parameters": {"type": "object"}},
    {"type": "custom", "name": "apply_patch", "format": {"type": "grammar", "syntax": "lark"}},
    {"type": "web_search"},
    {"type": "local_shell"},
]


def test_a_coding_agents_request_is_answered_and_the_tools_of_its_own_server_are_left_out() -> None:
    """The fields that agents send to every server; what this one cannot run is not told."""
    runner, make = scripted(Reply("Done."))
    items: Any = [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "E"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
    ]
    with serving(make) as running, running.client() as client:
        events = list(
            client.responses.create(
                model="", instructions="You are a coding agent.", input=items, tools=CODEX_TOOLS,
                tool_choice="auto", parallel_tool_calls=False, store=False, stream=True,
                reasoning={"effort": "medium", "summary": "auto"}, text={"verbosity": "low"},
                include=["reasoning.encrypted_content"], prompt_cache_key="k", truncation="auto",
            )
        )  # fmt: skip
    end = events[-1]
    assert end.type == "response.completed"
    assert end.response.output_text == "Done."
    assert [tool.name for tool in end.response.tools if tool.type == "function"] == [
        "shell", "plan"
    ]  # fmt: skip
    asked = next(command for command in runner.commands if isinstance(command, Generate))
    assert [json.loads(tool)["function"]["name"] for tool in asked.tools] == ["shell", "plan"]


@pytest.mark.parametrize("form", ["responses", "chat"])
def test_only_the_tools_that_are_allowed_are_told(form: str) -> None:
    runner, make = scripted(Reply('{"name": "plan", "arguments": {}}'))
    with serving(make) as running, running.client() as client:
        if form == "responses":
            named: Any = {"type": "function", "name": "plan"}
            client.responses.create(
                model="", input="Hi", tools=CODEX_TOOLS,
                tool_choice={"type": "allowed_tools", "mode": "required", "tools": [named]},
            )  # fmt: skip
        else:
            tools: Any = [
                {"type": "function", "function": {"name": name}} for name in ("shell", "plan")
            ]
            allowed: Any = {"mode": "required", "tools": [tools[1]]}
            client.chat.completions.create(
                model="", messages=ASK, tools=tools, modalities=["text"],
                tool_choice={"type": "allowed_tools", "allowed_tools": allowed},
            )  # fmt: skip
    asked = next(command for command in runner.commands if isinstance(command, Generate))
    assert [json.loads(tool)["function"]["name"] for tool in asked.tools] == ["plan"]
    assert asked.settings.constraint is not None


def test_a_tool_of_the_servers_own_that_has_to_be_called_is_refused() -> None:
    _, make = scripted()
    with serving(make) as running, running.client() as client:
        with pytest.raises(openai.BadRequestError) as error:
            client.responses.create(
                model="", input="Hi", tools=CODEX_TOOLS, tool_choice={"type": "web_search"}
            )
        assert (error.value.param or "").startswith("tool_choice")
