"""Tool calls of the common formats, read while they stream; what is no call stays text."""

from __future__ import annotations

import json

import pytest

from engine.contract import Channel
from engine.text.channels import Channels, ReplyForm
from engine.text.harmony import HarmonyChannels
from engine.text.marks import HARMONY_ANALYSIS
from engine.text.reply_stream import joined
from engine.text.tool_calls import TOOL_FORMS, call_line, read_json_calls

FORM = ReplyForm(tools=TOOL_FORMS)
WEATHER = {"name": "get_weather", "arguments": {"city": "北京", "days": 3}}
JSON = json.dumps(WEATHER, ensure_ascii=False)
ARGUMENTS = json.dumps(WEATHER["arguments"], ensure_ascii=False)

REPLIES = {
    "hermes": f"<tool_call>\n{JSON}\n</tool_call>",
    "qwen coder": (
        "<tool_call>\n<function=get_weather>\n<parameter=city>\n北京\n</parameter>\n"
        "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"
    ),
    "glm": (
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>北京</arg_value>\n"
        "<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>"
    ),
    "mistral": f"[TOOL_CALLS][{JSON}]",
    "mistral 11": f"[TOOL_CALLS]get_weather[ARGS]{ARGUMENTS}",
    "mistral 11 with id": f"[TOOL_CALLS]get_weather[CALL_ID]123456789[ARGS]{ARGUMENTS}",
    "deepseek v3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
        f"```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "deepseek v3.1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
        f"{ARGUMENTS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "kimi": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
        f"<|tool_call_argument_begin|>{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "phi": f"<|tool_call|>[{JSON}]<|/tool_call|>",
    "llama 3 python tag": "<|python_tag|>" + JSON.replace("arguments", "parameters"),
    "internlm": f"<|action_start|><|plugin|>{JSON}<|action_end|>",
}


def run(chunks: list[str], form: ReplyForm = FORM) -> tuple[list[object], str]:
    """(calls, answer) of a reply that comes in these chunks."""
    channels = Channels(form)
    deltas = [delta for chunk in chunks for delta in channels.push(chunk)]
    whole = joined([*deltas, *channels.finish()])
    calls = [json.loads(line) for line in whole[Channel.TOOL_CALL].splitlines()]
    return calls, whole[Channel.ANSWER]


@pytest.mark.parametrize("name", REPLIES)
def test_a_call_of_each_format_is_read_for_any_cut(name: str) -> None:
    reply = REPLIES[name]
    assert run([reply]) == ([WEATHER], "")
    assert run(list(reply)) == ([WEATHER], "")
    assert run(["Let me look.\n" + reply])[0] == [WEATHER]


def test_a_call_arrives_as_soon_as_it_is_complete() -> None:
    channels = Channels(FORM)
    assert channels.push(f"<tool_call>{JSON}") == []
    [(channel, line)] = channels.push("</tool_call>\n")
    assert (channel, json.loads(line)) == (Channel.TOOL_CALL, WEATHER)


def test_two_calls_are_two_lines() -> None:
    assert run([REPLIES["hermes"] + "\n" + REPLIES["hermes"]]) == ([WEATHER, WEATHER], "")
    assert run([f"[TOOL_CALLS][{JSON}, {JSON}]"]) == ([WEATHER, WEATHER], "")


@pytest.mark.parametrize(
    "reply", ["<tool_call>no call</tool_call>", "<tool_call>{broken", "[TOOL_CALLS] later"]
)
def test_what_cannot_be_read_as_a_call_is_text(reply: str) -> None:
    assert run([reply]) == ([], reply)
    assert run(list(reply)) == ([], reply)


def test_text_after_a_call_is_answer() -> None:
    calls, answer = run([REPLIES["hermes"] + "\n\nDone."])
    assert (calls, answer) == ([WEATHER], "Done.")


def test_a_call_that_the_end_of_the_reply_cuts_off_is_read_if_it_is_whole() -> None:
    assert run([f"<tool_call>\n{JSON}\n"]) == ([WEATHER], "")


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"name": "f"}', {}),
        ('{"name": "f", "parameters": {"a": 1}}', {"a": 1}),
        ('{"name": "f", "arguments": "{\\"a\\": 1}"}', {"a": 1}),
        ('{"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}', {"a": 1}),
        ('{"name": "f", "arguments": {"a": "line\nbreak"}}', {"a": "line\nbreak"}),
    ],
)
def test_json_calls_in_their_variants(text: str, arguments: object) -> None:
    [call] = read_json_calls(text)
    assert json.loads(call_line(call)) == {"name": "f", "arguments": arguments}


def test_gpt_oss_channels_are_reasoning_answer_and_calls() -> None:
    channels = HarmonyChannels()
    reply = (
        "<|channel|>|analysis|<|message|>|Think |about it.|<|end|>|<|start|>|assistant|<|channel|>"
        "|commentary to=functions.get_weather |<|constrain|>|json|<|message|>|"
        f"{ARGUMENTS}|<|call|>|<|start|>|assistant|<|channel|>|final|<|message|>|It rains."
        "|<|return|>"
    )
    parts = reply.replace("<|", "<!").replace("|>", "!>").split("|")
    marks = [part.replace("<!", "<|").replace("!>", "|>") for part in parts]
    deltas = [
        delta for part in marks for delta in channels.push(part, control=part.startswith("<|"))
    ]
    whole = joined([*deltas, *channels.finish()])
    assert whole[Channel.REASONING] == "Think about it."
    assert whole[Channel.ANSWER] == "It rains."
    assert json.loads(whole[Channel.TOOL_CALL]) == WEATHER


def test_gpt_oss_text_without_any_header_is_the_answer() -> None:
    assert HarmonyChannels().push("hi") == [(Channel.ANSWER, "hi")]


def test_gpt_oss_reasoning_that_the_prompt_opened_goes_on() -> None:
    channels = HarmonyChannels(opens=HARMONY_ANALYSIS)
    assert channels.push("so") == [(Channel.REASONING, "so")]
    assert channels.reasoning is HARMONY_ANALYSIS


def bare(chunks: list[str], form: ReplyForm | None = None) -> tuple[list[object], str]:
    """(calls, answer) of a reply to which ``get_weather`` was offered."""
    channels = Channels(form or ReplyForm(), tools=["get_weather"])
    deltas = [delta for chunk in chunks for delta in channels.push(chunk)]
    whole = joined([*deltas, *channels.finish()])
    calls = [json.loads(line) for line in whole[Channel.TOOL_CALL].splitlines()]
    return calls, whole[Channel.ANSWER]


@pytest.mark.parametrize(
    "reply",
    [
        JSON.replace("arguments", "parameters"),
        f'\n{{"type": "function", "name": "get_weather", "parameters": {ARGUMENTS}}}',
        '[get_weather(city="北京", days=3)]',
    ],
)
def test_a_bare_call_of_an_offered_tool_is_read_for_any_cut(reply: str) -> None:
    assert bare([reply]) == bare(list(reply)) == ([WEATHER], "")
    assert bare([f"{reply}; {reply}" if "{" in reply else f"{reply[:-1]}, {reply[1:]}"])[0] == [
        WEATHER,
        WEATHER,
    ]


@pytest.mark.parametrize(
    "reply",
    [
        '{"city": "北京"}',
        '{"name": "another", "parameters": {}}',
        "[1, 2]",
        "[get_weather] is a tool",
        "[get_weather(1)]",
        "{",
        '{"na',
        'It is {"name": "get_weather", "parameters": {}}',
    ],
)
def test_json_that_calls_no_offered_tool_is_the_answer(reply: str) -> None:
    assert bare([reply]) == bare(list(reply)) == ([], reply)


def test_json_is_an_answer_at_once_where_no_tool_was_offered() -> None:
    channels = Channels(ReplyForm())
    assert channels.push('{"name": "f"') == [(Channel.ANSWER, '{"name": "f"')]


def test_json_that_cannot_be_a_call_is_not_held_back() -> None:
    channels = Channels(ReplyForm(), tools=["f"])
    assert channels.push('{"city') == [(Channel.ANSWER, '{"city')]
