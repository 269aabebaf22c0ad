"""Chat templates as the hub has them, and those that mean harm."""

from __future__ import annotations

import json
import re
import time
from datetime import datetime
from typing import Any

import pytest

from engine.contract import EngineError, FaultKind, Message, NoticeKind, Role, Thinking
from engine.text.chat_template import ChatTemplate
from tests.text.shapes import CHATML, SHAPES, THINKING
from tests.text.vocabularies import chat_tokenizer, model_text

USER = Message(Role.USER, "hi")


def render(source: str, **variables: Any) -> str:
    return ChatTemplate(source).render(variables, 0)


def fault_of(source: str, **variables: Any) -> FaultKind:
    with pytest.raises(EngineError) as caught:
        render(source, **variables)
    return caught.value.fault.kind


def test_C4_without_a_template_there_is_a_plain_fallback_and_a_notice() -> None:
    model = model_text(None)
    assert [notice.kind for notice in model.notices] == [NoticeKind.TEMPLATE_MISSING]
    messages = [Message(Role.SYSTEM, "Be brief."), USER, Message(Role.ASSISTANT, "ho"), USER]
    text = chat_tokenizer().decode(model.prompt(messages).ids, control=True)
    assert text == "System: Be brief.\n\nUser: hi\n\nAssistant: ho\n\nUser: hi\n\nAssistant:"


def test_C5_strftime_now_knows_all_codes() -> None:
    text = render('{{ strftime_now("%Y-%m-%d %H:%M:%S") }}')
    assert abs((datetime.now() - datetime.strptime(text, "%Y-%m-%d %H:%M:%S")).seconds) < 60
    assert re.fullmatch(r"\d\d \w{3,} \d{4}", render('{{ strftime_now("%d %B %Y") }}'))


def test_C7_tojson_keeps_chinese_and_takes_its_options() -> None:
    value = {"名": "天气", "b": "<i>&'"}
    assert render("{{ v | tojson(ensure_ascii=False) }}", v=value) == json.dumps(
        value, ensure_ascii=False
    )
    assert render("{{ v | tojson }}", v=value) == json.dumps(value, ensure_ascii=False)
    assert render("{{ v | tojson(ensure_ascii=True) }}", v=value) == json.dumps(value)
    assert render("{{ v | tojson(indent=2) }}", v=value) == json.dumps(
        value, ensure_ascii=False, indent=2
    )
    assert render("{{ v | tojson(separators=(',', ':'), sort_keys=true) }}", v=value) == (
        '{"b":"<i>&\'","名":"天气"}'
    )


def test_C7_chinese_tool_names_reach_the_prompt() -> None:
    template = "{% for t in tools %}{{ t | tojson(ensure_ascii=False) }}{% endfor %}" + CHATML
    tool = {"type": "function", "function": {"name": "天气", "parameters": {"城市": "string"}}}
    prompt = model_text(template).prompt([USER], tools=[json.dumps(tool)])
    text = chat_tokenizer().decode(prompt.ids, control=True)
    assert text.startswith(json.dumps(tool, ensure_ascii=False) + "<|im_start|>")


@pytest.mark.parametrize(
    "source", ["{#", '{{ a["foo"(', "{% if %}", "{% for x in %}", "{{ 'a' | nofilter }}", "{% x %}"]
)
def test_C9_a_template_that_is_no_template_is_a_named_fault(source: str) -> None:
    with pytest.raises(EngineError) as caught:
        ChatTemplate(source)
    assert caught.value.fault.kind is FaultKind.TEMPLATE_INVALID
    assert str(caught.value.fault.figures["detail"]).startswith("line 1")


@pytest.mark.parametrize(
    "source",
    [
        "{{ nothing.at.all }}",
        "{{ 1 / 0 }}",
        "{{ 'a' + 1 }}",
        "{{ messages[3].content }}",
        "{{ 'x'.index('y') }}",
        "{% include 'file' %}",
    ],
)
def test_a_template_that_fails_is_a_named_fault(source: str) -> None:
    assert fault_of(source, messages=[]) is FaultKind.TEMPLATE_INVALID


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ messages.append(1) }}",
        "{{ self._TemplateReference__context }}{{ ''.__class__.__base__ }}",
    ],
)
def test_a_template_reaches_nothing_outside_the_sandbox(source: str) -> None:
    assert fault_of(source, messages=[]) is FaultKind.TEMPLATE_INVALID


def test_what_a_template_may_not_see_is_undefined_to_it() -> None:
    assert render("{{ messages.__class__ }}{{ ''.__class__ is defined }}", messages=[]) == "False"


BOMBS = {
    "range": "{% for i in range(999999999) %}a{% endfor %}",
    "loops": "{% for a in range(9999) %}{% for b in range(9999) %}{% set x = 1 %}"
    "{% endfor %}{% endfor %}",
    "loops over text": "{% for a in 'x' * 999999 %}{% for b in 'x' * 999999 %}{% endfor %}"
    "{% endfor %}",
    "recursion": "{% macro f(n) %}{{ f(n - 1) }}{{ f(n - 1) }}{% endmacro %}{{ f(99) }}",
    "loop recursion": "{% for x in [0, 1] recursive %}{{ loop([0, 1]) }}{% endfor %}",
    "doubling": "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(60) %}"
    "{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "joining": "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(60) %}"
    "{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    "capturing": "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(60) %}"
    "{% set y %}{{ ns.x }}{{ ns.x }}{% endset %}{% set ns.x = y %}{% endfor %}",
    "times": "{{ 'a' * 999999999999 }}",
    "list times": "{{ ([0] * 99999999) | length }}",
    "power": "{{ 9 ** 9 ** 9 ** 9 }}",
    "squares": "{% set ns = namespace(x=9) %}{% for i in range(99) %}"
    "{% set ns.x = ns.x * ns.x %}{% endfor %}",
    "padding": "{{ 'a'.ljust(99999999999) }}",
    "centre": "{{ 'a' | center(99999999999) }}",
    "format": "{{ '{:>99999999999}'.format('a') }}",
    "percent": "{{ '%99999999999d' % 1 }}",
    "filter format": "{{ '%99999999999d' | format(1) }}",
    "replace": "{{ ('a' * 999999).replace('a', 'b' * 999999) }}",
    "filter replace": "{{ ('a' * 999999) | replace('a', 'b' * 999999) }}",
    "join": "{{ (['a'] * 999999) | join('b' * 999999) }}",
    "tabs": "{{ ('\t' * 999999).expandtabs(999999) }}",
    "indent": "{{ ('\n' * 999999) | indent(999999, blank=true) }}",
    "output": "{% for i in range(9999) %}{{ 'a' * 9999 }}{% endfor %}",
    "nesting": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_template_that_would_not_end_or_fit_is_a_named_fault_within_seconds(name: str) -> None:
    start = time.monotonic()
    assert fault_of(BOMBS[name]) is FaultKind.TEMPLATE_INVALID
    assert time.monotonic() - start < 20  # five seconds of budget, on a busy machine


def test_loops_break_and_continue() -> None:
    source = "{% for x in [1, 2, 3, 4] %}{% if x == 2 %}{% continue %}{% endif %}{{ x }}"
    source += "{% if x == 3 %}{% break %}{% endif %}{% endfor %}"
    assert render(source) == "13"


def test_namespaces_macros_and_captures_work() -> None:
    assert render("{% set n = namespace(a=1) %}{% set n.a = n.a + 1 %}{{ n.a }}") == "2"
    assert render("{% macro m(x, y='b') %}{{ x ~ y }}{% endmacro %}{{ m('a') | upper }}") == "AB"
    assert render("{% set x %}a{{ 1 }}{% endset %}{{ x }}") == "a1"


def test_white_space_is_treated_as_by_transformers() -> None:
    assert render("a\n  {% if true %}\nb\n  {% endif %}\nc") == "a\nb\nc"


def test_loop_knows_its_ends_over_lists_and_filtered_lists() -> None:
    source = "{% for x in [1, 2, 3] %}{{ x }}{{ '.' if loop.last else ',' }}{% endfor %}"
    assert render(source) == "1,2,3."
    source = "{% for x in [1, 2, 3] if x != 3 %}{{ loop.index }}/{{ loop.length }} {% endfor %}"
    assert render(source) == "1/2 2/2 "
    assert render("{% for k, v in d.items() %}{{ k }}{{ v }}{% endfor %}", d={"a": 1}) == "a1"
    assert render("{% for x in nothing %}a{% else %}none{% endfor %}") == "none"


def test_python_string_methods_and_tests_work() -> None:
    source = "{{ ' Ab '.strip().lower().startswith('a') }} {{ 'a,b'.split(',')[-1] }}"
    assert render(source + " {{ 'x' is string }} {{ m is mapping }}", m={}) == "True b True True"


def test_a_generation_block_is_transparent() -> None:
    source = "{% generation %}{{ 'a' }}{% endgeneration %}b"
    assert render(source) == "ab"


def test_real_filters_work_under_the_budget() -> None:
    assert render("{{ [3, 1, 2] | sort | join('-') }}") == "1-2-3"
    assert render("{{ ms | map(attribute='a') | list }}", ms=[{"a": 1}]) == "[1]"
    assert render("{{ ms | selectattr('a', 'equalto', 1) | list | length }}", ms=[{"a": 1}]) == "1"
    assert render("{{ 'a' | default('b') }}{{ c | default('b') }}{{ '<' | e }}") == "ab&lt;"
    assert render("{{ 'ab\ncd' | indent(2) }}{{ '%s!' | format('x') }}{{ '%s' % 'y' }}") == (
        "ab\n  cdx!y"
    )


@pytest.mark.parametrize(
    ("source", "thinks"),
    [
        (CHATML, False),
        (THINKING, True),
        ("{% if thinking %}{% endif %}" + CHATML, True),
        ("{{ messages[0].thinking }}", False),
        ("{% if 'thinking' in messages[0] %}{{ messages[0]['thinking'] }}{% endif %}", False),
    ],
)
def test_a_thinking_switch_is_a_variable_and_not_a_key(source: str, thinks: bool) -> None:
    assert ChatTemplate(source).has_thinking_switch is thinks


def test_the_tool_template_serves_conversations_with_tools() -> None:
    model = model_text(CHATML, "{{ tools | length }} tools: " + CHATML)
    decode = chat_tokenizer().decode
    tool = '{"type": "function", "function": {"name": "f"}}'
    assert "tools" not in decode(model.prompt([USER]).ids)
    assert decode(model.prompt([USER], tools=[tool]).ids).startswith("1 tools: ")


def test_a_switch_that_is_not_asked_for_is_left_undefined() -> None:
    source = "{{ enable_thinking is defined }}{{ enable_thinking }}"
    model, decode = model_text(source), chat_tokenizer().decode
    assert decode(model.prompt([USER]).ids) == "False"
    assert decode(model.prompt([USER], thinking=Thinking.ON).ids) == "TrueTrue"
    assert decode(model.prompt([USER], thinking=Thinking.OFF).ids) == "TrueFalse"


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_renders_what_transformers_renders(shape: str) -> None:
    """The oracle, on conversations without anything to guard."""
    from transformers.utils.chat_template_utils import render_jinja_template

    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three"},
    ]
    if shape == "parts":
        for message in messages:
            message["content"] = [{"type": "text", "text": message["content"]}]
    rendered, _ = render_jinja_template(
        conversations=[messages],
        chat_template=SHAPES[shape],
        add_generation_prompt=True,
        bos_token="<bos>",
        eos_token="<eos>",
    )
    ours = [Message(Role.USER, "one"), Message(Role.ASSISTANT, "two"), Message(Role.USER, "three")]
    prompt = model_text(SHAPES[shape]).prompt(ours)
    assert chat_tokenizer().decode(prompt.ids, control=True) == rendered[0]
