"""Reasoning and answer told apart: nothing swallowed, no fragment of a mark shown, for any cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contract import Channel
from engine.text.channels import Channels, ReplyForm
from engine.text.marks import REASONING_TAGS, Tags
from engine.text.reply_stream import joined, split_text
from engine.text.tool_calls import HERMES

THINK = REASONING_TAGS[0]
THINKER = ReplyForm(own_tags=(THINK,), tools=(HERMES,))


def run(
    chunks: list[str], form: ReplyForm = THINKER, opens: Tags | None = None
) -> tuple[str, str, str]:
    """(reasoning, answer, tool calls) of a reply that comes in these chunks."""
    channels = Channels(form, opens=opens)
    deltas = [delta for chunk in chunks for delta in channels.push(chunk)]
    whole = joined([*deltas, *channels.finish()])
    return whole[Channel.REASONING], whole[Channel.ANSWER], whole[Channel.TOOL_CALL]


@pytest.mark.parametrize("tags", REASONING_TAGS, ids=lambda tags: tags.open)
def test_reasoning_between_tags_is_a_channel_of_its_own(tags: Tags) -> None:
    reply = f"{tags.open}\nsome thoughts\n{tags.close}\n\nThe answer."
    assert run([reply], ReplyForm()) == ("some thoughts", "The answer.", "")
    assert run(list(reply), ReplyForm()) == ("some thoughts", "The answer.", "")


def test_R1_reasoning_that_never_ends_is_visible() -> None:
    assert run(["<think>Hello! How are you?"]) == ("Hello! How are you?", "", "")


def test_R2_a_closing_tag_alone_where_the_template_opened_reasoning() -> None:
    assert run(["reasoning\n</think>answer"], opens=THINK) == ("reasoning", "answer", "")


def test_R2_a_whole_text_with_only_a_closing_tag() -> None:
    whole = split_text("reasoning\n</think>answer", THINKER)
    assert (whole[Channel.REASONING], whole[Channel.ANSWER]) == ("reasoning", "answer")


def test_R2_a_closing_tag_that_nobody_expected_is_a_break_and_not_text() -> None:
    assert run(["reasoning</think>answer"]) == ("", "reasoning\n\nanswer", "")


def test_R3_a_tag_split_over_chunks_leaves_no_fragment() -> None:
    chunks = ["internal", " reasoning</thi", "nk>answer"]
    channels = Channels(THINKER, opens=THINK)
    deltas = [channels.push(chunk) for chunk in chunks]
    assert deltas == [
        [(Channel.REASONING, "internal")],
        [(Channel.REASONING, " reasoning")],
        [(Channel.ANSWER, "answer")],
    ]


@pytest.mark.parametrize(
    "reply", ["<think >a</think >b", "< think>a< /think>b", "<think\n>a</ think\t>b"]
)
def test_R6_spaces_in_tags_make_no_difference(reply: str) -> None:
    assert run([reply]) == run(list(reply)) == ("a", "b", "")
    whole = split_text(reply, THINKER)
    assert (whole[Channel.REASONING], whole[Channel.ANSWER]) == ("a", "b")


def test_R6_an_empty_pair_with_spaces_leaves_nothing() -> None:
    assert run(["<think ></think >", "hi"]) == ("", "hi", "")


def test_R8_an_empty_block_before_a_tool_call_is_closed() -> None:
    reply = '<think>\n\n</think>\n\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    assert run([reply]) == run(list(reply)) == ("", "", '{"name": "f", "arguments": {}}\n')


def test_an_empty_reasoning_makes_no_delta() -> None:
    channels = Channels(THINKER)
    assert channels.push("<think>\n\n</think>\n\nhi") == [(Channel.ANSWER, "hi")]


def test_a_tag_that_is_only_mentioned_is_text() -> None:
    for answer in (
        "Models write <think> before they answer.",
        "Use `<think>` and `</think>`.",
        "```xml\n<think>\nplan\n</think>\n```\ndone",
        "~~~~\n```\n<think>\n~~~\n</think>\n~~~~",
        "1. a\n```\n<tool_call>\n```",
    ):
        assert run([answer]) == run(list(answer)) == ("", answer, "")


def test_a_tag_at_the_beginning_of_a_later_line_counts_if_it_is_the_models_own() -> None:
    reply = "First.\n<think>more thoughts</think>\nSecond."
    assert run([reply]) == ("more thoughts", "First.\nSecond.", "")
    assert run([reply], ReplyForm()) == (
        "",
        "First.\n<think>more thoughts\n\nSecond.",
        "",
    )


def test_less_than_signs_in_prose_are_text_at_once() -> None:
    channels = Channels(THINKER)
    assert channels.push("if a < b or a <= c") == [(Channel.ANSWER, "if a < b or a <= c")]


def test_white_space_between_reasoning_and_answer_is_nobodys() -> None:
    assert run([" <think>\n a \n</think>\n\n b\n"]) == ("a", "b\n", "")


def test_what_a_reply_without_marks_begins_with_is_kept() -> None:
    assert run([" ", "\n", "hi"]) == ("", " \nhi", "")
    assert run(["  "]) == ("", "  ", "")


def test_a_mark_that_never_completes_is_text() -> None:
    assert run(["<thin"]) == ("", "<thin", "")
    assert run(["<think>a</thi"]) == ("a</thi", "", "")


def test_a_second_opening_tag_in_reasoning_that_the_template_opened_is_dropped() -> None:
    assert run(["<think>\na</think>b"], opens=THINK) == ("a", "b", "")


def test_a_control_token_that_is_no_mark_is_not_shown() -> None:
    channels = Channels(THINKER)
    assert channels.push("<|fim_prefix|>", control=True) == []
    assert channels.push("<think>", control=True) == []
    assert channels.push("a") == [(Channel.REASONING, "a")]
    assert channels.push("</think>", control=True) == []
    assert channels.push("b") == [(Channel.ANSWER, "b")]


def test_a_call_inside_reasoning_ends_it_only_as_a_control_token() -> None:
    call = '{"name": "f", "arguments": {}}'
    channels = Channels(THINKER, opens=THINK)
    deltas = [
        *channels.push("so "),
        *channels.push("<tool_call>", control=True),
        *channels.push(call),
        *channels.push("</tool_call>", control=True),
    ]
    whole = joined(deltas)
    assert (whole[Channel.REASONING], whole[Channel.TOOL_CALL]) == ("so", call + "\n")


PARTS = st.sampled_from(
    (
        *("<think>", "</think>", "<think", " ", "\n", "a", "`", "```", "<", ">", "</", "\n```\n"),
        *("<tool_call>", "</tool_call>", '{"name": "f"}', "x < y", "[THINK]", "[/THINK]"),
    )
)


@given(st.lists(PARTS, max_size=12).map("".join), st.data(), st.booleans())
def test_the_cut_of_a_reply_makes_no_difference(
    reply: str, data: st.DataObject, inside: bool
) -> None:
    opens = THINK if inside else None
    places = sorted(data.draw(st.sets(st.integers(0, len(reply)), max_size=6)) | {0, len(reply)})
    chunks = [reply[start:end] for start, end in pairwise(places)]
    assert run(chunks, opens=opens) == run([reply], opens=opens) == run(list(reply), opens=opens)


@given(st.text("ab <>/`\n", max_size=30))
def test_text_without_whole_marks_is_never_changed(text: str) -> None:
    assert run([text]) == ("", text, "")


@pytest.mark.parametrize("mark", ["</tool_call>", ""])
@pytest.mark.parametrize("body", ['{"name": "f"}x < y', 'x < y{"name": "f"}'])
def test_words_beside_a_call_are_shown(body: str, mark: str) -> None:
    assert run(["<tool_call>" + body + mark])[1:] == ("x < y", '{"name": "f", "arguments": {}}\n')


@given(st.lists(PARTS, max_size=12).map("".join))
def test_no_letter_of_a_reply_is_swallowed(reply: str) -> None:
    seen = "".join(run([reply]))
    assert seen.count("x") == reply.count("x")  # a letter that no mark has
    assert seen.count("y") == reply.count("y")
