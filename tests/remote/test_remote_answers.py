"""The contract over a server of ours on loopback: text, calls, figures, and every fault."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.contract import (
    Channel,
    Command,
    Complete,
    Constraint,
    ConstraintKind,
    CountTokens,
    EngineError,
    Event,
    Failed,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Inspect,
    Load,
    Loaded,
    Message,
    Metrics,
    NoticeKind,
    ReadPrompt,
    Role,
    Sampling,
    TextDelta,
    Thinking,
    TokensCounted,
    ToolCall,
)
from engine.engine import Engine, load_from_files
from engine.library.identify import identify
from engine.library.servers.card import RemoteCard, write_card
from engine.remote.answering import RemoteAnswering, connect
from engine.remote.stream import Patience
from tests.doubles import servers
from tests.doubles.servers import DONE, HANG, Answer, Server, delta, event, reply, serving, stream

CHAT = "/v1/chat/completions"
QUESTION = (Message(Role.USER, "Why does ice float?"),)
HASTY = Patience(first_s=0.3, between_s=0.3)
CALM = Patience(first_s=60, between_s=60)  # no busy machine makes a server silent


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as state:
        state.answers = {"/v1/models": [servers.models("m")]}
        yield state


class Bench:
    """An engine with a remote model, driven on this thread."""

    def __init__(self, folder: Path, server: Server, patience: Patience, **card: object) -> None:
        made = RemoteCard(server.address, "m", "Far", **card)  # type: ignore[arg-type]
        self.path = write_card(folder, made)
        self.patience = patience  # of the next load
        self.engine = Engine(
            lambda command: connect(command, identify(command.path), self.patience)
        )
        self.events: list[Event] = []
        self._requests = 0

    def load(self, key: str = "", *, is_offline: bool = False) -> Loaded:
        self.run(Load(0, self.path, key=key, is_offline=is_offline))
        return next(each for each in self.events if isinstance(each, Loaded))

    def run(self, command: Command, stop_after: int = -1) -> list[Event]:
        """The events of a command; cancelled after so many pieces of text."""
        self.events = []

        def cancelled() -> bool:
            pieces = sum(isinstance(each, TextDelta) for each in self.events)
            return 0 <= stop_after <= pieces

        for each in self.engine.run(command, cancelled):
            if each is not None:
                self.events.append(each)
        return self.events

    def ask(self, answer: Answer, server: Server, **fields: object) -> Finished:
        """Ask with an answer planned, and return the good end."""
        server.answers[CHAT] = [answer]
        self.run(Generate(1, fields.pop("messages", QUESTION), **fields))  # type: ignore[arg-type]
        end = self.events[-1]
        assert isinstance(end, Finished)
        return end

    def text(self, channel: Channel = Channel.ANSWER) -> str:
        """All text of a channel."""
        deltas = (event for event in self.events if isinstance(event, TextDelta))
        return "".join(delta.text for delta in deltas if delta.channel is channel)


@pytest.fixture
def bench(tmp_path: Path, server: Server) -> Iterator[Bench]:
    made = Bench(tmp_path, server, CALM)
    made.load()
    yield made
    made.engine.close()


def test_a_card_is_loaded_like_a_model_and_tells_its_server(tmp_path: Path, server: Server) -> None:
    server.answers["/v1/models"] = [servers.models("m", owned_by="vllm", max_model_len=4096)]
    path = write_card(tmp_path, RemoteCard(server.address, "m", "Far"))
    engine = Engine(load_from_files)
    events = list(engine.run(Load(1, path, key="sk-1"), lambda: False))
    engine.close()
    loaded = next(event for event in events if isinstance(event, Loaded))
    assert (loaded.context, loaded.model.server) == (4096, server.address)
    assert loaded.device == server.address.split("/")[2]
    assert loaded.can_think
    assert server.asked[0].headers["authorization"] == "Bearer sk-1"


def test_a_reply_streams_with_usage_and_figures_measured_here(bench: Bench, server: Server) -> None:
    words = [f"word{n} " for n in range(8)]
    end = bench.ask(reply(*words, prompt=11, generated=8), server)
    assert bench.text() == "".join(words)[:-1] or bench.text() == "".join(words)
    assert sum(isinstance(event, TextDelta) for event in bench.events) > 1
    assert end.reason is FinishReason.END_OF_TURN
    assert (end.usage.prompt_tokens, end.usage.generated_tokens) == (11, 8)
    assert end.timings.time_to_first_token_s > 0
    assert end.timings.decode_s > 0  # what a speed is made of is in test_clock.py
    asked = server.of(CHAT)[0].json()
    assert asked["messages"] == [{"role": "user", "content": "Why does ice float?"}]
    assert asked["stream_options"] == {"include_usage": True}


def test_i9_an_answer_in_one_burst_has_no_speed(bench: Bench, server: Server) -> None:
    pieces = [delta(content=f"word{n} ") for n in range(200)]
    end = bench.ask(stream(b"".join([*pieces, delta("stop"), DONE])), server)
    assert end.timings.tokens_per_second is None or end.timings.decode_s > 0.004
    one = bench.ask(reply("Yes", generated=1), server)
    assert one.timings.tokens_per_second is None


def test_an_estimate_is_never_above_what_was_asked_for(bench: Bench, server: Server) -> None:
    """A server that tells no count, and sends its words whole."""
    pieces = [delta(content=f"extraordinarily-{n} ") for n in range(20)]
    settings = GenerateSettings(max_tokens=24)
    end = bench.ask(stream(*pieces, delta("length"), DONE), server, settings=settings)
    assert end.usage.generated_tokens == 24
    assert all(each.generated_tokens <= 24 for each in bench.events if isinstance(each, Metrics))


def test_what_is_in_the_context_is_estimated_where_nothing_is_counted(
    bench: Bench, server: Server
) -> None:
    told = "The lighthouse of the northern harbour burned every night. " * 200
    messages = (Message(Role.USER, told),)
    end = bench.ask(stream(delta(content="Yes."), delta("stop"), DONE), server, messages=messages)
    assert end.usage.prompt_tokens == 0
    assert 2000 < end.usage.context_used < 4000  # 11,800 letters


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_field_of_its_own(bench: Bench, server: Server, field: str) -> None:
    bench.ask(stream(delta(**{field: "Hm. "}), delta(content="Ice."), delta("stop"), DONE), server)
    assert (bench.text(Channel.REASONING), bench.text()) == ("Hm. ", "Ice.")


def test_reasoning_in_tags_that_are_cut_anywhere(bench: Bench, server: Server) -> None:
    text = "<think>\nIt is lighter.\n</think>\n\nBecause < water."
    bench.ask(stream(*(delta(content=sign) for sign in text), delta("stop"), DONE), server)
    assert bench.text(Channel.REASONING).strip() == "It is lighter."
    assert bench.text() == "Because < water."


def test_a_stop_string_that_the_server_leaves_in_is_not_shown(bench: Bench, server: Server) -> None:
    pieces = [delta(content=piece) for piece in ("one, two", ", th", "ree, fo", "ur", "")]
    settings = GenerateSettings(stop=("four",))
    end = bench.ask(stream(*pieces, delta("stop"), DONE), server, settings=settings)
    assert bench.text() == "one, two, three, "
    assert end.reason is FinishReason.STOP_STRING


def test_a_server_that_knows_no_stop_strings_is_listened_to_no_longer(
    bench: Bench, server: Server
) -> None:
    pieces = [delta(content=f"{number}, ") for number in range(2000)]
    settings = GenerateSettings(stop=("3, ",))
    end = bench.ask(stream(*pieces, delta("stop"), DONE), server, settings=settings)
    assert bench.text() == "0, 1, 2, "
    assert end.reason is FinishReason.STOP_STRING


def test_text_that_only_began_like_a_stop_string_is_whole(bench: Bench, server: Server) -> None:
    settings = GenerateSettings(stop=("four",))
    bench.ask(stream(delta(content="one fo"), delta("stop"), DONE), server, settings=settings)
    assert bench.text() == "one fo"


def test_content_in_parts_with_thoughts_among_them(bench: Bench, server: Server) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    parts = [thought, {"type": "text", "text": "Ice."}]
    bench.ask(stream(delta(content=parts), delta("stop"), DONE), server)
    assert (bench.text(Channel.REASONING), bench.text()) == ("Hm.", "Ice.")


def _call(**fields: object) -> bytes:
    return delta(tool_calls=[fields])


CALLS: dict[str, list[bytes]] = {
    "numbered": [
        _call(index=0, id="a", function={"name": "look", "arguments": ""}),
        _call(index=0, function={"arguments": '{"what": '}),
        _call(index=1, id="b", function={"name": "go", "arguments": "{}"}),
        _call(index=0, function={"arguments": '"ice"}'}),
    ],
    "by id": [
        _call(id="a", function={"name": "look", "arguments": '{"what":'}),
        _call(function={"arguments": '"ice"}'}),
        _call(id="b", function={"name": "go", "arguments": "{}"}),
    ],
    "whole, as objects": [
        _call(function={"name": "look", "arguments": {"what": "ice"}}),
        _call(function={"name": "go", "arguments": {}}),
    ],
}


@pytest.mark.parametrize("form", CALLS)
def test_calls_are_put_together_from_their_parts(bench: Bench, server: Server, form: str) -> None:
    end = bench.ask(stream(*CALLS[form], delta("tool_calls"), DONE), server)
    lines = bench.text(Channel.TOOL_CALL)
    assert lines == (
        '{"name": "look", "arguments": {"what": "ice"}}\n{"name": "go", "arguments": {}}\n'
    )
    assert end.reason is FinishReason.END_OF_TURN


def test_half_a_call_is_none(bench: Bench, server: Server) -> None:
    server.answers[CHAT] = [stream(_call(index=0, function={"name": "rm", "arguments": '{"a'}))]
    with pytest.raises(EngineError):
        bench.run(Generate(1, QUESTION))
    assert bench.text(Channel.TOOL_CALL) == ""


REASONS = {
    "stop": FinishReason.END_OF_TURN,
    "length": FinishReason.LENGTH,
    "tool_calls": FinishReason.END_OF_TURN,
    "something_new": FinishReason.END_OF_TURN,
}


@pytest.mark.parametrize("reason", REASONS)
def test_reasons_of_the_end(bench: Bench, server: Server, reason: str) -> None:
    assert (
        bench.ask(stream(delta(content="x"), delta(reason), DONE), server).reason
        is (REASONS[reason])
    )


def test_a_filtered_reply_says_so(bench: Bench, server: Server) -> None:
    end = bench.ask(stream(delta(content="x"), delta("content_filter"), DONE), server)
    assert [notice.kind for notice in end.notices] == [NoticeKind.SERVER_FILTERED]


def test_a_stop_hangs_up_and_keeps_the_text(bench: Bench, server: Server) -> None:
    server.answers[CHAT] = [stream(delta(content="Half "), HANG)]
    bench.run(Generate(1, QUESTION), stop_after=1)
    end = bench.events[-1]
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.CANCELLED
    assert bench.text().startswith("Half")
    assert server.hung_up.wait(60)


def test_a_stop_before_the_first_word_hangs_up_at_once(tmp_path: Path, server: Server) -> None:
    patient = Bench(tmp_path, server, Patience())
    patient.load()
    server.answers[CHAT] = [[HANG]]
    began = time.monotonic()
    patient.run(Generate(1, QUESTION), stop_after=0)
    assert isinstance(patient.events[-1], Finished)
    assert time.monotonic() - began < 60  # patience is five minutes
    patient.engine.close()


FAULTS: dict[str, tuple[Answer, FaultKind, str]] = {
    "silent": ([HANG], FaultKind.SERVER_SILENT, ""),
    "silent after its head": (stream(HANG), FaultKind.SERVER_SILENT, ""),
    "only comments": (stream(*([b": ping\n\n", 0.05] * 30), HANG), FaultKind.SERVER_SILENT, ""),
    "falls silent": (stream(delta(content="Half"), HANG), FaultKind.SERVER_SILENT, "Half"),
    "breaks off": (stream(delta(content="Half")), FaultKind.SERVER_BROKE_OFF, "Half"),
    "breaks off in a chunk": (
        [b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
         b"Connection: close\r\n\r\nff\r\n" + delta(content="Half")[:40]],
        FaultKind.SERVER_BROKE_OFF, ""),
    "done without a reason": (
        stream(delta(content="Half"), DONE), FaultKind.SERVER_BROKE_OFF, "Half"),
    "no JSON": (
        stream(delta(content="Half"), b"data: {oops\n\n"), FaultKind.SERVER_GARBLED, "Half"),
    "no JSON from the start": (stream(b"data: {oops\n\n"), FaultKind.SERVER_FOREIGN, ""),
    "no object": (stream(b"data: [1]\n\n"), FaultKind.SERVER_FOREIGN, ""),
    "an endless line": (stream(b"data: " + b"x" * (3 << 20)), FaultKind.SERVER_FOREIGN, ""),
    "html": (servers.html(200), FaultKind.SERVER_FOREIGN, ""),
    "no type": ([b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhi"], FaultKind.SERVER_FOREIGN, ""),
    "no choices": (servers.status(200, {"ok": True}), FaultKind.SERVER_FOREIGN, ""),
    "bad gzip": (stream(b"no gzip", extra="Content-Encoding: gzip\r\n"),
                 FaultKind.SERVER_BROKE_OFF, ""),
    "401": (servers.status(401, {"error": "who?"}), FaultKind.KEY_NEEDED, ""),
    "403": (servers.status(403, {"error": {"message": "no"}}), FaultKind.SERVER_FORBIDS, ""),
    "404": (servers.status(404, {"error": {"message": "no m"}}), FaultKind.MODEL_GONE, ""),
    "404 page": (servers.html(404), FaultKind.SERVER_FOREIGN, ""),
    "429": (servers.status(429, {}, "Retry-After: 30\r\n"), FaultKind.SERVER_OVERLOADED, ""),
    "500": (servers.status(500, {"detail": "CUDA out of memory"}), FaultKind.SERVER_FAILED, ""),
    "502 page": (servers.html(502), FaultKind.SERVER_FAILED, ""),
    "307": (servers.status(307, {}, "Location: https://evil.example/\r\n"),
            FaultKind.SERVER_MOVED, ""),
    "refused": (servers.status(400, {"error": {"message": "top_k: extra field"}}),
                FaultKind.SERVER_REFUSED, ""),
    "refused within": (stream(delta(content="Half"), event({"error": {"message": "oom"}})),
                       FaultKind.SERVER_REFUSED, "Half"),
    "too long, vLLM": (
        servers.status(400, {"object": "error", "message":
            "This model's maximum context length is 4096 tokens. However, you requested 5000"}),
        FaultKind.CONVERSATION_TOO_LONG, ""),
    "too long, llama.cpp": (
        servers.status(400, {"error": {"type": "exceed_context_size_error", "message": "n"}}),
        FaultKind.CONVERSATION_TOO_LONG, ""),
    "too long, OpenAI": (
        servers.status(400, {"error": {"code": "context_length_exceeded", "message": "too much"}}),
        FaultKind.CONVERSATION_TOO_LONG, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_every_misbehaviour_is_a_named_fault_and_text_is_kept(
    bench: Bench, server: Server, name: str
) -> None:
    answer, kind, kept = FAULTS[name]
    server.answers[CHAT] = [answer]
    if kind is FaultKind.SERVER_SILENT:
        bench.patience = HASTY
        bench.load()
    with pytest.raises(EngineError) as caught:
        bench.run(Generate(1, QUESTION))
    assert caught.value.fault.kind is kind
    assert bench.text() == kept
    if kind is FaultKind.SERVER_SILENT:
        bench.patience = CALM
        bench.load()
    assert bench.ask(reply("Well"), server).reason is FinishReason.END_OF_TURN  # the next works


def test_figures_of_faults(bench: Bench, server: Server) -> None:
    for name, figure, value in (
        ("429", "seconds", 30), ("too long, vLLM", "context", 4096),
        ("too long, vLLM", "tokens", 5000), ("500", "detail", "CUDA out of memory"),
    ):  # fmt: skip
        server.answers[CHAT] = [FAULTS[name][0]]
        with pytest.raises(EngineError) as caught:
            bench.run(Generate(1, QUESTION))
        assert caught.value.fault.figures[figure] == value


def test_a_connection_that_brought_nothing_is_tried_again(bench: Bench, server: Server) -> None:
    server.answers[CHAT] = [[b""], reply("Here")]
    bench.run(Generate(1, QUESTION))
    assert bench.text() == "Here"
    assert len(server.of(CHAT)) == 2


def test_a_reply_that_broke_off_is_never_asked_again(bench: Bench, server: Server) -> None:
    server.answers[CHAT] = [stream(delta(content="Half")), reply("Other")]
    with pytest.raises(EngineError):
        bench.run(Generate(1, QUESTION))
    assert len(server.of(CHAT)) == 1


def test_a_stream_without_done_and_a_packed_one_are_whole(bench: Bench, server: Server) -> None:
    bench.ask(stream(delta(content="Ice"), delta("stop")), server)
    assert bench.text() == "Ice"
    packed = gzip.compress(delta(content="冰") + delta("stop") + DONE)
    bench.ask(stream(packed, extra="Content-Encoding: gzip\r\n"), server)
    assert bench.text() == "冰"


def test_characters_and_events_cut_anywhere_are_whole(bench: Bench, server: Server) -> None:
    raw = (delta(content="冰🧊") + delta("stop") + DONE).replace(b"\n", b"\r\n")
    raw = raw.replace(b"\\u51b0", "冰".encode())
    bench.ask(stream(*(raw[n : n + 1] for n in range(len(raw)))), server)
    assert bench.text() == "冰🧊"


def test_a_server_that_does_not_stream(bench: Bench, server: Server) -> None:
    message = {"role": "assistant", "content": "Ice.", "reasoning_content": "Hm."}
    whole = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }
    end = bench.ask(servers.status(200, whole), server)
    assert (bench.text(Channel.REASONING), bench.text()) == ("Hm.", "Ice.")
    assert end.usage.generated_tokens == 2


def test_the_settings_that_a_server_takes_and_the_others_by_name(
    tmp_path: Path, server: Server
) -> None:
    sampling = Sampling(temperature=0.5, top_k=20, top_p=0.9, repetition_penalty=1.1, seed=4)
    wanted = GenerateSettings(sampling, ("END",), 64)
    plain = Bench(tmp_path, server, CALM)
    plain.load()
    end = plain.ask(reply("x"), server, settings=wanted, thinking=Thinking.OFF)
    body = server.of(CHAT)[-1].json()
    assert (body["temperature"], body["top_p"], body["seed"]) == (0.5, 0.9, 4)
    assert (body["stop"], body["max_tokens"]) == (["END"], 64)
    assert "top_k" not in body
    [notice] = end.notices
    assert notice.kind is NoticeKind.SETTINGS_LEFT_OUT
    assert notice.figures["names"] == "top_k, repetition_penalty, thinking"
    plain.engine.close()
    vllm = Bench(tmp_path, server, CALM, kind="vllm")
    vllm.load()
    end = vllm.ask(reply("x"), server, settings=wanted, thinking=Thinking.OFF)
    body = server.of(CHAT)[-1].json()
    assert (body["top_k"], body["repetition_penalty"]) == (20, 1.1)
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert not end.notices
    vllm.engine.close()


def test_without_settings_the_servers_own_hold(bench: Bench, server: Server) -> None:
    bench.ask(reply("x"), server)
    assert set(server.of(CHAT)[-1].json()) == {"model", "messages", "stream", "stream_options"}


def test_a_conversation_with_tools_in_openais_form(bench: Bench, server: Server) -> None:
    messages = (
        Message(Role.SYSTEM, "Be brief."),
        *QUESTION,
        Message(Role.ASSISTANT, "", "thought", (ToolCall("look", '{"a":1}', "c1"),)),
        Message(Role.TOOL, "42", tool_call_id="c1"),
    )
    tool = '{"name": "look", "parameters": {}}'
    bench.ask(reply("x"), server, messages=messages, tools=(tool,))
    body = server.of(CHAT)[-1].json()
    assert [message["role"] for message in body["messages"]] == [
        "system", "user", "assistant", "tool",
    ]  # fmt: skip
    assert body["messages"][2]["tool_calls"][0]["function"] == {
        "name": "look",
        "arguments": '{"a":1}',
    }
    assert body["messages"][3]["tool_call_id"] == "c1"
    assert body["tools"][0]["type"] == "function"


def test_a_schema_holds_and_a_grammar_is_refused(bench: Bench, server: Server) -> None:
    schema = Constraint(ConstraintKind.JSON_SCHEMA, '{"type":"object"}')
    bench.ask(reply("{}"), server, settings=GenerateSettings(constraint=schema))
    form = server.of(CHAT)[-1].json()["response_format"]
    assert form["json_schema"]["schema"] == {"type": "object"}
    grammar = GenerateSettings(constraint=Constraint(ConstraintKind.GRAMMAR, "start: /a/"))
    with pytest.raises(EngineError) as caught:
        bench.run(Generate(1, QUESTION, grammar))
    assert caught.value.fault.kind is FaultKind.SETTING_INVALID


def test_a_reply_is_continued(tmp_path: Path, bench: Bench, server: Server) -> None:
    half = (*QUESTION, Message(Role.ASSISTANT, "Because"))
    bench.ask(reply("x"), server, messages=half, continue_reply=True)
    assert server.of(CHAT)[-1].json()["messages"][-1]["role"] == "user"
    vllm = Bench(tmp_path, server, CALM, kind="vllm")
    vllm.load()
    vllm.ask(reply("x"), server, messages=half, continue_reply=True)
    assert server.of(CHAT)[-1].json()["continue_final_message"] is True
    vllm.engine.close()


def test_a_raw_text_is_completed(bench: Bench, server: Server) -> None:
    piece = event({"choices": [{"text": " upon a time", "finish_reason": "stop"}]})
    server.answers["/v1/completions"] = [stream(piece, DONE)]
    bench.run(Complete(1, "Once"))
    assert bench.text() == " upon a time"
    assert server.of("/v1/completions")[0].json()["prompt"] == "Once"


def test_s11_what_cannot_fit_is_not_sent(tmp_path: Path, server: Server) -> None:
    small = Bench(tmp_path, server, CALM, context=256)
    assert small.load().context == 256
    long = (Message(Role.USER, "secret. " + "many different words here " * 400),)
    with pytest.raises(EngineError) as caught:
        small.run(Generate(1, long))
    assert caught.value.fault.kind is FaultKind.CONVERSATION_TOO_LONG
    assert not server.of(CHAT)
    small.engine.close()


def test_s11_a_server_that_cut_the_conversation_is_told_on(bench: Bench, server: Server) -> None:
    long = (Message(Role.USER, "many different words here " * 400),)
    end = bench.ask(reply("Yes", prompt=100), server, messages=long)
    assert [notice.kind for notice in end.notices] == [NoticeKind.SERVER_CUT]


def test_what_only_a_model_here_can_tell(bench: Bench, server: Server) -> None:
    for command in (Inspect(1, QUESTION, (1, 2)), ReadPrompt(1, 1, 0, 4),
                    Generate(1, QUESTION, begins_with=(5,))):  # fmt: skip
        with pytest.raises(EngineError) as caught:
            bench.run(command)
        assert caught.value.fault.kind is FaultKind.ONLY_LOCALLY
    [counted, _] = bench.run(CountTokens(1, QUESTION))
    assert isinstance(counted, TokensCounted)
    assert counted.is_estimate
    assert 4 <= counted.tokens <= 12


def test_two_replies_at_once_do_not_wait_for_each_other(bench: Bench, server: Server) -> None:
    server.answers[CHAT] = [stream(delta(content="slow"), HANG), reply("quick")]
    slow = bench.engine.run(Generate(1, QUESTION), lambda: False)
    while not isinstance(next(slow), TextDelta):
        pass
    quick = list(bench.engine.run(Generate(2, QUESTION), lambda: False))
    assert isinstance(quick[-1], Finished)
    assert not isinstance(next(slow), Finished | Failed)  # it still waits
    slow.close()  # type: ignore[attr-defined]


def test_a_server_without_a_list_is_used_as_its_card_says(tmp_path: Path, server: Server) -> None:
    server.answers["/v1/models"] = [servers.html(404)]
    made = Bench(tmp_path, server, CALM, context=1000)
    assert made.load().context == 1000
    made.engine.close()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (servers.status(401, {}), FaultKind.KEY_REFUSED),
        (servers.status(503, {}), FaultKind.SERVER_FAILED),
    ],
)
def test_a_load_fails_by_name(
    tmp_path: Path, server: Server, answer: Answer, kind: FaultKind
) -> None:
    server.answers["/v1/models"] = [answer]
    with pytest.raises(EngineError) as caught:
        Bench(tmp_path, server, CALM).load("wrong")
    assert caught.value.fault.kind is kind


def test_a_load_can_be_stopped(tmp_path: Path, server: Server) -> None:
    server.answers["/v1/models"] = [[HANG]]
    made = Bench(tmp_path, server, CALM)
    events = list(made.engine.run(Load(1, made.path), lambda: True))
    server.ended.set()
    assert isinstance(events[-1], Finished)
    assert events[-1].reason is FinishReason.CANCELLED


def test_s14_offline_no_server_elsewhere_is_loaded(tmp_path: Path) -> None:
    path = write_card(tmp_path, RemoteCard("http://192.0.2.1:8000/v1", "m"))
    engine = Engine()
    with pytest.raises(EngineError) as caught:
        list(engine.run(Load(1, path, is_offline=True), lambda: False))
    assert caught.value.fault.kind is FaultKind.OFFLINE


def test_closing_leaves_no_thread(bench: Bench, server: Server) -> None:
    server.answers[CHAT] = [[HANG]]
    run = bench.engine.run(Generate(1, QUESTION), lambda: False)
    for _ in range(5):
        next(run)
    bench.engine.close()
    assert not [t for t in threading.enumerate() if t.name == "inkstone-remote"]
    run.close()  # type: ignore[attr-defined]


def test_close_is_harmless_twice(bench: Bench) -> None:
    answering = bench.engine._answering
    assert isinstance(answering, RemoteAnswering)
    answering.close()
    answering.close()


def test_the_key_is_in_no_repr() -> None:
    assert "sk-secret" not in repr(Load(1, Path("x"), key="sk-secret"))


def test_a_card_talks_in_the_terminal_with_the_key_of_the_environment(
    tmp_path: Path, server: Server
) -> None:
    server.answers[CHAT] = [reply("Ice ", "floats.")]
    path = write_card(tmp_path, RemoteCard(server.address, "m"))
    ended = subprocess.run(
        [sys.executable, "-m", "engine", "chat", str(path), "--prompt", "Why?"],
        env=os.environ | {"INKSTONE_REMOTE_KEY": "sk-terminal"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert ended.stdout == "Ice floats.\n"
    assert {each.headers["authorization"] for each in server.asked} == {"Bearer sk-terminal"}
