"""Chat templates that can stand in for a model's own: the forms that most chat models were taught.

Each is written here after the published form of its family, for text alone: a system message, and
questions and answers in turn. Which marks of it are control tokens is the model's affair.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class TemplateFlaw(StrEnum):
    """What is wrong with a template that makes no prompt."""

    SYNTAX = "syntax"  # it is no Jinja
    UNDEFINED = "undefined"  # it reads something that is not there
    ENDLESS = "endless"
    LARGE = "large"  # its text would have no end, or no memory holds it
    FORBIDDEN = "forbidden"  # it does what a template may not
    FAILING = "failing"  # it stops for another reason


_CHATML = (
    "{% for message in messages %}"
    "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_LLAMA3 = (
    "{{ bos_token }}{% for message in messages %}"
    "<|start_header_id|>{{ message['role'] }}<|end_header_id|>\n\n"
    "{{ message['content'] | trim }}<|eot_id|>"
    "{% endfor %}"
    "{% if add_generation_prompt %}"
    "<|start_header_id|>assistant<|end_header_id|>\n\n"
    "{% endif %}"
)
_GEMMA = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for message in messages %}"
    "<start_of_turn>{{ 'model' if message['role'] == 'assistant' else message['role'] }}\n"
    "{{ message['content'] | trim }}<end_of_turn>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
_MISTRAL = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for message in messages %}"
    "{% if message['role'] == 'user' %}[INST] {{ message['content'] }} [/INST]"
    "{% else %} {{ message['content'] | trim }}</s>{% endif %}"
    "{% endfor %}"
)
PLAIN = (
    "{% for message in messages %}"
    "{{ message['role'] | capitalize }}: {{ message['content'] | trim }}\n\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)
"""What is shown to a model that has no template: what base models have seen most of."""

TEMPLATES: Mapping[str, str] = {
    "chatml": _CHATML,
    "llama3": _LLAMA3,
    "gemma": _GEMMA,
    "mistral": _MISTRAL,
    "plain": PLAIN,
}
"""By the names under which a chat keeps them."""


def template_source(chosen: str) -> str:
    """Return the Jinja text of what a chat keeps: a name of ours, a text of its own, or nothing."""
    return TEMPLATES.get(chosen, chosen)
