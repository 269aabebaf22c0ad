"""Another chat template in place of the model's own: prompts, ends, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.contract import EngineError, FaultKind, Message, RenderPrompt, Role, TemplateFlaw
from engine.contract.templates import PLAIN, TEMPLATES, template_source
from engine.rendering import rendered
from engine.text.model_text import ModelText
from tests.text.test_real_models import text_of

ASKED = (Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Why does ice float?"))


def prompt_of(text: ModelText, template: str) -> str:
    return rendered(text, RenderPrompt(1, ASKED, template)).text


@pytest.fixture(scope="module")
def starter(starter_model: Path) -> ModelText:
    return text_of(starter_model)


def test_the_models_own_form_by_its_name_makes_the_same_prompt(starter: ModelText) -> None:
    own = starter.prompt(ASKED)
    other = starter.with_template(TEMPLATES["chatml"])
    assert other.prompt(ASKED).ids == own.ids
    assert other.end_ids == starter.end_ids


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("llama3", "<|start_header_id|>user<|end_header_id|>\n\nWhy does ice float?<|eot_id|>"),
        ("gemma", "<start_of_turn>user\nBe brief."),  # which takes no system message
        ("mistral", "[INST] Be brief."),
        ("plain", "User: Why does ice float?\n\nAssistant:"),
    ],
)
def test_the_known_forms_are_written_as_their_families_do(
    starter: ModelText, name: str, expected: str
) -> None:
    assert expected in prompt_of(starter, TEMPLATES[name])


def test_marks_that_the_model_does_not_have_are_named(starter: ModelText) -> None:
    told = rendered(starter, RenderPrompt(1, ASKED, TEMPLATES["gemma"]))
    assert told.marks == ("<start_of_turn>", "<end_of_turn>")
    assert rendered(starter, RenderPrompt(1, ASKED, TEMPLATES["chatml"])).marks == ()
    assert told.tokens > 0


def test_a_reply_ends_at_a_mark_that_the_model_has_to_spell(starter: ModelText) -> None:
    gemma = starter.with_template(TEMPLATES["gemma"])
    stream = gemma.reply_stream(prompt=gemma.prompt(ASKED))
    for id in starter.tokenizer.encode("It is lighter.<end_of_turn> More", starts=False):
        stream.push(id)
    assert stream.stopped


def test_nothing_is_the_models_own_and_a_variant_is_made_once(starter: ModelText) -> None:
    assert starter.with_template("") is starter
    made = starter.with_template(PLAIN)
    assert starter.with_template(PLAIN) is made
    for number in range(5):
        starter.with_template(f"{number}{PLAIN}")
    assert starter.with_template(PLAIN) is not made  # few are kept


def test_what_is_no_template_is_refused_with_its_line(starter: ModelText) -> None:
    with pytest.raises(EngineError, match="line 2") as raised:
        starter.with_template("{{ bos_token }}\n{% for x in %}{% endfor %}")
    assert raised.value.fault.kind is FaultKind.TEMPLATE_INVALID


@pytest.mark.parametrize(
    ("source", "flaw", "line"),
    [
        ("{{ bos_token }}\n{% if x %}", TemplateFlaw.SYNTAX, 2),
        ("\n\n{{ nobody.name }}", TemplateFlaw.UNDEFINED, 3),
        ("\n{{ messages.append(1) }}", TemplateFlaw.FORBIDDEN, 2),
        ("\n{{ 'a' * 99999999 }}", TemplateFlaw.LARGE, 0),
        ("{{ 1 / 0 }}", TemplateFlaw.FAILING, 1),
    ],
)
def test_what_is_wrong_with_a_template_is_told_by_name_and_line(
    starter: ModelText, source: str, flaw: TemplateFlaw, line: int
) -> None:
    with pytest.raises(EngineError) as raised:
        prompt_of(starter, source)
    figures = raised.value.fault.figures
    assert (figures["flaw"], figures["line"]) == (flaw, line)


def test_a_template_that_does_not_end_is_stopped(starter: ModelText) -> None:
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}"
    with pytest.raises(EngineError) as raised:
        prompt_of(starter, endless)
    assert raised.value.fault.kind is FaultKind.TEMPLATE_INVALID


def test_a_chat_keeps_a_name_or_a_text() -> None:
    assert template_source("") == ""
    assert template_source("chatml") == TEMPLATES["chatml"]
    assert template_source("{{ messages }}") == "{{ messages }}"
