"""Tool calls in the forms that models write them, read into one: a name and JSON arguments.

A ``ToolForm`` says between which marks a call stands; the text between them is read when the
closing mark has arrived. What cannot be read as a call is given back as text: a reply is never
swallowed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.contract import ToolCall

Reader = Callable[[str], Sequence[ToolCall]]
"""The calls in the text between two marks; none where it holds no call."""

_JSON_START = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder(strict=False)
_FUNCTION = re.compile(r"<function=([^>\n]+)>(.*?)(?:</function>|$)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>\n]+)>\n?(.*?)\n?(?:</parameter>|$)", re.DOTALL)
_GLM_PAIR = re.compile(r"<arg_key>\s*(.*?)\s*</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
_KIMI_CALL = re.compile(
    r"<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*"
    r"<\|tool_call_argument_begin\|>(.*?)(?:<\|tool_call_end\|>|$)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class ToolForm:
    """How a family of models writes calls.

    Attributes:
        open: the mark before them.
        close: the mark after them; empty where only the end of the reply closes.
        read: what reads the text between.
        could_be: whether the text so far may still become a call; if not, it is shown at once.
        bare: whether the mark is only the beginning of JSON, and counts only where a reply begins.
    """

    open: str
    close: str
    read: Reader
    could_be: Callable[[str], bool] = lambda _: True
    bare: bool = False

    def words_beside(self, text: str) -> str:
        """What a model wrote around the JSON of its calls: words that are no part of them."""
        is_json = self.read in {read_json_calls, read_tagged_calls}
        other = _FUNCTION.search(text) or _GLM_PAIR.search(text)
        return words_beside_json(text) if is_json and not other else ""


def call_line(call: ToolCall) -> str:
    """A call as the contract's line of JSON."""
    arguments = json.loads(call.arguments)
    return json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False) + "\n"


def read_json_calls(text: str) -> Sequence[ToolCall]:
    """Calls as JSON objects, or a list of them, with anything short between."""
    return [call for value in json_values(text) for call in _calls_of(value)]


def json_values(text: str) -> Iterable[Any]:
    """The JSON objects and lists in ``text``, in order."""
    return (value for value, _, _ in _json_places(text))


def words_beside_json(text: str) -> str:
    """What stands around the JSON values of ``text``; empty where that is only punctuation."""
    words, position = "", 0
    for _, start, end in _json_places(text):
        words, position = words + text[position:start], end
    words += text[position:]
    return words.strip() if any(sign.isalnum() for sign in words) else ""


def _json_places(text: str) -> Iterable[tuple[Any, int, int]]:
    """Each JSON object or list in ``text``, with where it starts and ends."""
    position = 0
    while (found := _JSON_START.search(text, position)) is not None:
        try:
            value, position = _DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            return
        yield value, found.start(), position


def _calls_of(value: Any) -> Iterable[ToolCall]:
    if isinstance(value, list):
        for item in value:
            yield from _calls_of(item)
    if not isinstance(value, dict):
        return
    inner = value.get("function")
    if isinstance(inner, dict):
        yield from _calls_of(inner)
        return
    name = next((value[key] for key in ("name", "tool_name") if key in value), inner)
    keys = ("arguments", "parameters", "input")
    arguments: Any = next((value[key] for key in keys if key in value), {})
    if isinstance(name, str) and name:
        yield make_call(name, arguments)


def make_call(name: str, arguments: Any) -> ToolCall:
    """A call; arguments that are JSON text already are taken as what they spell."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            arguments = {"input": arguments}
    return ToolCall(name.strip(), json.dumps(arguments, ensure_ascii=False))


def read_tagged_calls(text: str) -> Sequence[ToolCall]:
    """What stands in ``<tool_call>``: JSON (Hermes, Qwen), XML (Qwen coder), pairs (GLM)."""
    if functions := _FUNCTION.findall(text):
        return [
            make_call(name, {key: _value(value) for key, value in _PARAMETER.findall(body)})
            for name, body in functions
        ]
    if (pairs := _GLM_PAIR.findall(text)) or re.fullmatch(r"\s*[\w.-]+\s*", text):
        name = text.partition("<arg_key>")[0]
        return [make_call(name, {key: _value(value) for key, value in pairs})]
    return read_json_calls(text)


def _value(text: str) -> Any:
    """A parameter: JSON where it is some, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_python_calls(text: str) -> Sequence[ToolCall]:
    """Python's calls in a list: ``[f(a=1), g(b="x")]``; only literals are read, nothing is run."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        nodes = tree.elts if isinstance(tree, ast.List) else [tree]
        return [_python_call(node) for node in nodes]
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ()


def _python_call(node: ast.expr) -> ToolCall:
    """A call whose arguments all have names.

    Raises:
        ValueError: for anything else.
    """
    if not isinstance(node, ast.Call) or node.args:
        raise ValueError("no call with named arguments")
    names = [word.arg for word in node.keywords]
    values = [ast.literal_eval(word.value) for word in node.keywords]
    return make_call(ast.unparse(node.func), dict(zip(map(str, names), values, strict=True)))


def read_mistral_calls(text: str) -> Sequence[ToolCall]:
    """``[{…}]``, or since version 11 ``name[ARGS]{…}`` with more after further marks."""
    if "[ARGS]" not in text:
        return read_json_calls(text)
    calls = []
    for part in text.split("[TOOL_CALLS]"):
        name, found, arguments = part.partition("[ARGS]")
        values = list(json_values(arguments))
        if found and values:
            calls.append(make_call(name.partition("[CALL_ID]")[0], values[0]))
    return calls


def read_deepseek_calls(text: str) -> Sequence[ToolCall]:
    """``function<sep>name`` and a fenced block (V3, R1), or ``name<sep>{…}`` (V3.1)."""
    calls = []
    for part in text.split("<｜tool▁call▁begin｜>"):
        head, found, rest = part.partition("<｜tool▁sep｜>")
        values = list(json_values(rest))
        if found and values:
            name = rest.split("\n", 1)[0] if head.strip() == "function" else head
            calls.append(make_call(name, values[0]))
    return calls


def read_kimi_calls(text: str) -> Sequence[ToolCall]:
    """``functions.name:0`` and its arguments, each between marks (Kimi K2)."""
    return [make_call(name, arguments.strip()) for name, arguments in _KIMI_CALL.findall(text)]


HERMES = ToolForm("<tool_call>", "</tool_call>", read_tagged_calls)
PYTHON_TAG = ToolForm("<|python_tag|>", "", read_json_calls)
TOOL_FORMS = (
    HERMES,
    PYTHON_TAG,
    ToolForm("<seed:tool_call>", "</seed:tool_call>", read_tagged_calls),
    ToolForm("[TOOL_CALLS]", "", read_mistral_calls),
    ToolForm("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", read_deepseek_calls),
    ToolForm("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", read_kimi_calls),
    ToolForm("<|tool_call|>", "<|/tool_call|>", read_json_calls),  # Phi 4, Granite
    ToolForm("<|action_start|><|plugin|>", "<|action_end|>", read_json_calls),  # InternLM
    ToolForm("<|START_ACTION|>", "<|END_ACTION|>", read_json_calls),  # Command R
    ToolForm("<|tool_call_start|>", "<|tool_call_end|>", read_python_calls),  # LFM 2
    ToolForm("<TOOLCALL>", "</TOOLCALL>", read_json_calls),  # Nemotron
    ToolForm("<tool_calls>", "</tool_calls>", read_json_calls),  # Hunyuan
)


def bare_forms(names: Sequence[str]) -> tuple[ToolForm, ...]:
    """Calls without any mark, as Llama 3 writes them: JSON, or Python's calls in a list.

    Only a reply that begins so and calls a tool that was offered is one.
    """
    if not names:
        return ()
    offered = frozenset(names)

    def known(calls: Sequence[ToolCall]) -> Sequence[ToolCall]:
        return calls if all(call.name in offered for call in calls) else ()

    def could_be_python(text: str) -> bool:
        head = text.lstrip().partition("(")
        return any(name == head[0] if head[1] else name.startswith(head[0]) for name in offered)

    return (
        ToolForm("{", "", lambda text: known(read_json_calls("{" + text)), _could_be_json, True),
        ToolForm("[", "", lambda text: known(read_python_calls("[" + text)), could_be_python, True),
    )


_CALL_KEYS = ("name", "type", "function", "parameters", "arguments", "id")
_FIRST_KEY = re.compile(r'\s*(?:"(\w*)("?)|$)')


def _could_be_json(text: str) -> bool:
    """Whether the text after a ``{`` begins with a key that calls have."""
    match = _FIRST_KEY.match(text)
    if match is None:
        return False
    word, closed = match[1] or "", match[2]
    return word in _CALL_KEYS if closed else any(key.startswith(word) for key in _CALL_KEYS)
