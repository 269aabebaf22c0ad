"""From the fields of a request to the engine's commands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.contract import (
    Complete,
    Constraint,
    ConstraintKind,
    Generate,
    GenerateSettings,
    Loaded,
    Message,
    Priority,
    Role,
    Sampling,
    Thinking,
    ToolCall,
)
from engine.server.errors import ApiError
from engine.server.fields import (
    Called,
    ChatMessage,
    ChatRequest,
    Choosing,
    ChosenTool,
    CompletionRequest,
    Function,
    Part,
    ResponseFormat,
    Sampled,
)

_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
_SAME_NAMES = (
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "top_k",
    "min_p",
    "typical_p",
    "repetition_penalty",
)
_NO_THOUGHT = frozenset({"none", "minimal"})


def chat_commands(request: ChatRequest, loaded: Loaded) -> list[Generate]:
    """One command for each choice.

    Raises:
        ApiError: 400.
    """
    functions = [tool.function for tool in request.tools]
    limit = request.max_completion_tokens or request.max_tokens
    alternatives = max(request.top_logprobs, 1) if request.logprobs else 0
    settings = GenerateSettings(
        sampling_of(request, loaded.default_sampling),
        stops_of(request),
        limit,
        alternatives,
        constraint=constraint_of(request.response_format, functions, request.tool_choice),
        priority=Priority.BACKGROUND,
    )
    wished = request.chat_template_kwargs.enable_thinking
    thinking = thinking_of(request.reasoning_effort, loaded)
    if wished is not None:
        thinking = Thinking.ON if wished else Thinking.OFF
    command = Generate(
        0,
        tuple(message_of(message) for message in request.messages),
        settings,
        thinking,
        tool_texts(functions, request.tool_choice),
    )
    return [replace(command, settings=s) for s in choices_of(settings, request.n)]


def completion_commands(request: CompletionRequest, loaded: Loaded) -> list[Complete]:
    """One command for each choice of each prompt.

    Raises:
        ApiError: 400.
    """
    if request.suffix:
        raise ApiError(400, "A suffix is not supported.", "unsupported_value", "suffix")
    if request.best_of not in {None, 1, request.n}:
        raise ApiError(400, "best_of must equal n.", "unsupported_value", "best_of")
    settings = GenerateSettings(
        sampling_of(request, loaded.default_sampling),
        stops_of(request),
        request.max_tokens,
        0 if request.logprobs is None else max(request.logprobs, 1),
        priority=Priority.BACKGROUND,
    )
    return [
        Complete(0, prompt, chosen)
        for prompt in prompts_of(request)
        for chosen in choices_of(settings, request.n)
    ]


def prompts_of(request: CompletionRequest) -> list[str]:
    """The texts to continue.

    Raises:
        ApiError: 400 for token ids, and for none.
    """
    prompts = [request.prompt] if isinstance(request.prompt, str) else request.prompt
    texts = [prompt for prompt in prompts if isinstance(prompt, str)]
    if not texts or len(texts) < len(prompts):
        raise ApiError(
            400, "The prompt must be a text, or a list of texts.", "unsupported_value", "prompt"
        )
    return texts


def sampling_of(request: Sampled, defaults: Sampling) -> Sampling:
    """The model's defaults with what the request says."""
    given: dict[str, Any] = {
        name: value for name in _SAME_NAMES if (value := getattr(request, name)) is not None
    }
    if request.logit_bias:
        given["logit_bias"] = tuple(request.logit_bias.items())
    if request.seed is not None:
        given["seed"] = request.seed % 2**63  # clients send any integer
    return replace(defaults, **given)


def choices_of(settings: GenerateSettings, choices: int) -> list[GenerateSettings]:
    """The settings of each choice: a seed counts upwards, or all would be the same."""
    sampling = settings.sampling
    if sampling is None or sampling.seed is None:
        return [settings] * choices
    return [
        replace(settings, sampling=replace(sampling, seed=(sampling.seed + place) % 2**63))
        for place in range(choices)
    ]


def stops_of(request: Choosing) -> tuple[str, ...]:
    """The stop strings; empty ones mean nothing."""
    given = [request.stop] if isinstance(request.stop, str) else request.stop
    return tuple(text for text in given if text)


def thinking_of(effort: str, loaded: Loaded) -> Thinking:
    """What an effort means for a model that can only think or not."""
    if not effort or not loaded.can_think:
        return Thinking.AUTO
    return Thinking.OFF if effort in _NO_THOUGHT else Thinking.ON


def message_of(message: ChatMessage) -> Message:
    """A message as the engine reads it.

    Raises:
        ApiError: 400 for anything but text, and for calls whose arguments are no JSON.
    """
    role = Role.SYSTEM if message.role == "developer" else Role(message.role)
    return Message(
        role,
        text_of(message.content, "messages"),
        message.reasoning_content,
        tuple(_call(called) for called in message.tool_calls),
        message.tool_call_id,
        message.name,
    )


def text_of(content: str | list[Part], param: str) -> str:
    """The text of a message's content.

    Raises:
        ApiError: 400 for pictures, sound and files.
    """
    if isinstance(content, str):
        return content
    for part in content:
        if part.type not in _TEXT_PARTS | {"refusal"}:
            raise ApiError(
                400, f"This model reads text, no {part.type}.", "unsupported_content", param
            )
    return "\n".join(part.text or part.refusal for part in content)


def call_of(name: str, arguments: str, id: str) -> ToolCall:
    """A call that the conversation tells of.

    Raises:
        ApiError: 400 where its arguments are no JSON.
    """
    try:
        json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        raise ApiError(
            400, f"The arguments of the call of {name} are no JSON.", "invalid_value", "messages"
        ) from None
    return ToolCall(name, arguments or "{}", id)


def tool_texts(functions: Sequence[Function], choice: str | ChosenTool) -> tuple[str, ...]:
    """The tools that the model is told of, each as JSON.

    Raises:
        ApiError: 400 where the chosen one is not among them.
    """
    if choice == "none":
        return ()
    names = [function.name for function in functions]
    if isinstance(choice, ChosenTool) and choice.wanted not in names:
        raise ApiError(400, f"There is no tool {choice.wanted}.", "invalid_value", "tool_choice")
    return tuple(
        json.dumps({"type": "function", "function": function.model_dump()}, ensure_ascii=False)
        for function in functions
    )


def must_call(functions: Sequence[Function], choice: str | ChosenTool) -> bool:
    """Whether the answer has to be a call."""
    return bool(functions) and (choice == "required" or isinstance(choice, ChosenTool))


def constraint_of(
    form: ResponseFormat, functions: Sequence[Function], choice: str | ChosenTool
) -> Constraint | None:
    """What the answer is held to: a call that has to come, or a schema."""
    if must_call(functions, choice):
        wanted = choice.wanted if isinstance(choice, ChosenTool) else None
        calls = [_call_schema(f) for f in functions if wanted in {None, f.name}]
        return _held_to(calls[0] if len(calls) == 1 else {"anyOf": calls})
    if form.type == "json_object":
        return _held_to({"type": "object"})
    if form.type == "json_schema":
        schema = form.json_schema.schema_ if form.json_schema else form.schema_
        return _held_to(schema or {})
    return None


def _held_to(schema: dict[str, Any]) -> Constraint:
    return Constraint(ConstraintKind.JSON_SCHEMA, json.dumps(schema))


def _call_schema(function: Function) -> dict[str, Any]:
    """The JSON of a call; the name comes first, so that the arguments follow from it.

    Arguments that the schema does not name are closed unless it says otherwise: a small model would
    go on inventing them.
    """
    arguments = function.parameters or {"type": "object"}
    if "properties" in arguments:
        arguments = {"additionalProperties": False} | arguments
    return {
        "type": "object",
        "properties": {
            "name": {"const": function.name},
            "arguments": arguments,
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _call(called: Called) -> ToolCall:
    return call_of(called.function.name, called.function.arguments, called.id)
