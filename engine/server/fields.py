"""What requests may say: pydantic's models of OpenAI's fields, and a few that local servers share.

A field that is ``null`` is absent. A field that nobody here knows is refused by name: a setting
that is silently dropped is worse than an error.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import from_json

from engine.server.errors import ApiError

_Model = TypeVar("_Model", bound=BaseModel)

MOST_CHOICES = 16


class Lenient(BaseModel):
    """An object that clients echo back with fields of later versions: what is unknown is left."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: inner for name, inner in value.items() if inner is not None}
        return value


class Strict(Lenient):
    """An object whose unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Part(Lenient):
    """A piece of a message's content."""

    type: str
    text: str = ""
    refusal: str = ""


class CalledFunction(Lenient):
    """A function that the model called, with JSON text."""

    name: str
    arguments: str = "{}"


class Called(Lenient):
    """A tool call in a message."""

    id: str = ""
    type: Literal["function"] = "function"
    function: CalledFunction


class ChatMessage(Lenient):
    """One message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] = ""
    reasoning_content: str = ""
    tool_calls: list[Called] = []
    tool_call_id: str = ""
    name: str = ""


class Function(Lenient):
    """A tool that may be called."""

    name: str = Field(min_length=1, max_length=256)
    description: str = ""
    parameters: dict[str, Any] = {}


class Tool(Lenient):
    """A tool in the chat's form."""

    type: Literal["function"]
    function: Function


class ChosenName(Lenient):
    """Names a function."""

    name: str


class ChosenTool(Lenient):
    """The one tool to be called."""

    type: Literal["function"]
    function: ChosenName | None = None  # the chat's form
    name: str = ""  # the responses' form

    @property
    def wanted(self) -> str:
        """The function's name."""
        return self.function.name if self.function else self.name


class Schema(Lenient):
    """A JSON schema with its name."""

    name: str = ""
    schema_: dict[str, Any] = Field(default={}, alias="schema")


class ResponseFormat(Lenient):
    """What the answer must look like."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: Schema | None = None  # the chat's form
    schema_: dict[str, Any] | None = Field(default=None, alias="schema")  # the responses' form


class StreamOptions(Lenient):
    """How the answer is streamed."""

    include_usage: bool = False


class TemplateWords(Lenient):
    """What vLLM's and llama.cpp's clients tell the chat template."""

    enable_thinking: bool | None = None


class Sampled(Strict):
    """The fields of sampling, and those that mean nothing on one's own computer."""

    model: str = ""
    stream: bool = False
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    logit_bias: dict[int, float] = {}
    seed: int | None = None
    top_k: int | None = Field(None, ge=0)
    min_p: float | None = Field(None, ge=0, le=1)
    typical_p: float | None = Field(None, gt=0, le=1)
    repetition_penalty: float | None = Field(None, gt=0, le=100)
    user: str = ""
    metadata: dict[str, Any] = {}
    store: bool = False
    service_tier: str = ""
    safety_identifier: str = ""
    prompt_cache_key: str = ""
    prompt_cache_retention: str = ""


class WithTools(Sampled):
    """Requests with tools, of which only functions can be called from here.

    What is to be looked up or run at the server's end is left out, and the answer names what was
    told.
    """

    @model_validator(mode="before")
    @classmethod
    def _with_functions_alone(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        tools, choice = value.get("tools"), value.get("tool_choice")
        if isinstance(tools, list):
            tools = [each for each in tools if _kind_of(each) in {"", "function"}]
        if isinstance(choice, dict) and _kind_of(choice) == "allowed_tools":
            allowed = choice.get("allowed_tools", choice)  # the chat's form, the responses' form
            names = {_name_of(each) for each in allowed.get("tools") or []}
            tools = [each for each in tools or [] if _name_of(each) in names]
            choice = allowed.get("mode") or "auto"
        return value | {"tools": tools, "tool_choice": choice}


def _kind_of(value: Any) -> str:
    return str(value.get("type", "")) if isinstance(value, dict) else ""


def _name_of(tool: Any) -> str:
    inner = tool.get("function", tool) if isinstance(tool, dict) else {}
    return str(inner.get("name", "")) if isinstance(inner, dict) else ""


class Choosing(Sampled):
    """What chat and completions share."""

    n: int = Field(1, ge=1, le=MOST_CHOICES)
    stop: str | list[str] = []
    max_tokens: int | None = Field(None, ge=1)
    stream_options: StreamOptions = StreamOptions()


class ChatRequest(Choosing, WithTools):
    """``POST /v1/chat/completions``."""

    messages: list[ChatMessage] = Field(min_length=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    logprobs: bool = False
    top_logprobs: int = Field(0, ge=0, le=20)
    tools: list[Tool] = []
    tool_choice: Literal["none", "auto", "required"] | ChosenTool = "auto"
    parallel_tool_calls: bool = True
    response_format: ResponseFormat = ResponseFormat()
    reasoning_effort: str = ""
    verbosity: str = ""
    modalities: list[Literal["text"]] = []
    chat_template_kwargs: TemplateWords = TemplateWords()


class CompletionRequest(Choosing):
    """``POST /v1/completions``; 16 tokens are the interface's own default."""

    prompt: str | list[str] | list[int] | list[list[int]] = ""
    max_tokens: int | None = Field(16, ge=1)
    logprobs: int | None = Field(None, ge=0, le=20)
    echo: bool = False
    best_of: int | None = None
    suffix: str = ""


class InputItem(Lenient):
    """An item of a response's input: a message, a call, or what a call gave."""

    type: str = "message"
    role: Literal["system", "developer", "user", "assistant"] = "user"
    content: str | list[Part] = ""
    call_id: str = ""
    name: str = ""
    arguments: str = "{}"
    output: str | list[Part] = ""


class ResponseTool(Function):
    """A tool in the responses' form."""

    type: Literal["function"]


class TextOptions(Lenient):
    """The form of the text."""

    format: ResponseFormat = ResponseFormat()


class Reasoning(Lenient):
    """How much is thought."""

    effort: str = ""


class ResponseRequest(WithTools):
    """``POST /v1/responses``."""

    input: str | list[InputItem] = Field(min_length=1)
    instructions: str = ""
    max_output_tokens: int | None = Field(None, ge=1)
    tools: list[ResponseTool] = []
    tool_choice: Literal["none", "auto", "required"] | ChosenTool = "auto"
    parallel_tool_calls: bool = True
    text: TextOptions = TextOptions()
    reasoning: Reasoning = Reasoning()
    top_logprobs: int = Field(0, ge=0, le=20)
    include: list[str] = []
    truncation: Literal["auto", "disabled"] = "disabled"
    previous_response_id: str = ""
    background: bool = False
    stream_options: dict[str, Any] = {}


def read(kind: type[_Model], body: bytes) -> _Model:
    """A request's fields.

    Raises:
        ApiError: 400, with the field that is wrong.
    """
    try:
        value = from_json(body, allow_inf_nan=False)  # refuses half characters too
    except ValueError as error:
        raise ApiError(400, f"The body is no valid JSON: {error}.", "invalid_json") from None
    if not isinstance(value, dict):
        raise ApiError(400, "The body must be a JSON object.", "invalid_json")
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        if first["type"] == "extra_forbidden":
            raise ApiError(
                400, f"The field {where} is not known here.", "unknown_parameter", where
            ) from None
        raise ApiError(400, f"{where}: {first['msg']}.", "invalid_value", where) from None
