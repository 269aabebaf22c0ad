"""A conversation to prompt ids: the template's text, the users' text, and the model's own ids.

Two promises are kept here.

*Only the template writes control tokens.* Everything from outside is guarded before it is rendered
(``control_tokens``).

*A reply stays what was sampled.* Templates rewrite history: they drop reasoning, trim, add empty
tags. If a prompt were simply rendered, its ids would differ from those in the KV cache from the
first reply on, and every turn would pay for the whole conversation again. So where a message
carries the ids that were sampled, they are put in as they are, after exactly the prompt that they
answered:

    prompt(n + 1) = prompt(n) + sampled(n) + what the template puts between the two

The text between is found by rendering with an anchor, an unguessable word, in the reply's place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.contract import EngineError, FaultKind, Message, Role, Thinking
from engine.text.chat_template import ChatTemplate
from engine.text.control_tokens import ControlTokens
from engine.text.conversation import (
    Adaptation,
    guarded_json,
    message_variables,
    stronger,
    texts_of,
)
from engine.text.sentinels import Marks, choose_marks


@dataclass(frozen=True, slots=True)
class Request:
    """What a prompt depends on beside the messages."""

    thinking: Thinking = Thinking.AUTO
    tools: tuple[str, ...] = ()


@dataclass(slots=True)
class Renderer:
    """Renders conversations with a model's templates.

    Attributes:
        template: the model's template.
        tool_template: the one for conversations with tools; often the same.
        control: its control tokens.
        names: the special tokens that templates call by name (``bos_token``).
    """

    template: ChatTemplate
    tool_template: ChatTemplate
    control: ControlTokens
    names: Mapping[str, str]
    _needs: Adaptation | None = None

    def marks(self, messages: Sequence[Message], tools: Sequence[str]) -> Marks:
        """Marks that are safe for this conversation."""
        sources = self.template.source + self.tool_template.source
        return choose_marks(sources + texts_of(messages, tools))

    def adaptation(self, messages: Sequence[Message], request: Request) -> Adaptation:
        """The least change with which the template takes these messages and shows them.

        Raises:
            EngineError: the template's fault for the unchanged messages, where no change helps.
        """
        marks = self.marks(messages, request.tools)
        first_fault: EngineError | None = None
        for adaptation in stronger(self._probed()):
            try:
                self.render(adaptation.apply(messages), request, adaptation, marks)
            except EngineError as error:
                first_fault = first_fault or error
            else:
                return adaptation
        raise first_fault or EngineError(FaultKind.TEMPLATE_INVALID, detail="")

    def _probed(self) -> Adaptation:
        """What the template needs for any conversation, found out once.

        Some templates say nothing about a form that they do not take, but leave it out.
        """
        if self._needs is None:
            parts = not self._shows(Adaptation()) and self._shows(Adaptation(parts=True))
            needs = Adaptation(parts=parts)
            folds = self._shows(needs) and not self._shows(needs, has_system=True)
            self._needs = replace(needs, folds_system=folds)
        return self._needs

    def _shows(self, adaptation: Adaptation, *, has_system: bool = False) -> bool:
        """Whether the template shows a question, and with it a system message."""
        marks = self.marks((), ())
        system = (Message(Role.SYSTEM, marks.word(0)),) if has_system else ()
        messages = (*system, Message(Role.USER, marks.word(1)))
        try:
            text = self.render(messages, Request(), adaptation, marks)
        except EngineError:
            return False
        return all(message.content in text for message in messages)

    def render(
        self,
        messages: Sequence[Message],
        request: Request,
        adaptation: Adaptation,
        marks: Marks,
        anchors: frozenset[int] = frozenset(),
        *,
        asks: bool = True,
    ) -> str:
        """The text for adapted ``messages``; those at ``anchors`` are replaced by their words."""

        def guard(text: str, *, edges: bool = True) -> str:
            return self.control.guard(text, marks.sentinel, edges=edges)

        variables: dict[str, Any] = {
            **self.names,
            "messages": [
                message_variables(_anchored(message, place, marks), adaptation, guard)
                if place in anchors
                else message_variables(message, adaptation, guard)
                for place, message in enumerate(messages)
            ],
            "add_generation_prompt": asks,
            "tools": [guarded_json(_parsed_tool(tool), guard) for tool in request.tools] or None,
        }
        if request.thinking is not Thinking.AUTO:
            wanted = request.thinking is Thinking.ON
            variables |= {"enable_thinking": wanted, "thinking": wanted}
        template = self.tool_template if request.tools else self.template
        return template.render(variables, len(texts_of(messages, request.tools)))


def _anchored(message: Message, place: int, marks: Marks) -> Message:
    """The message with its anchor word as its content, or in its last call."""
    word = marks.word(place)
    if not message.tool_calls:
        return replace(message, content=word, reasoning="")
    last = replace(message.tool_calls[-1], arguments=json.dumps({word: word}, ensure_ascii=False))
    return replace(message, reasoning="", tool_calls=(*message.tool_calls[:-1], last))


def _parsed_tool(text: str) -> dict[str, Any]:
    """A tool's JSON.

    Raises:
        EngineError: SETTING_INVALID where it is no JSON object.
    """
    try:
        tool = json.loads(text)
    except (ValueError, RecursionError):
        tool = None
    if not isinstance(tool, dict):
        raise EngineError(
            FaultKind.SETTING_INVALID, name="tools", value=text[:200], allowed="JSON objects"
        )
    return tool


def tool_names(tools: Sequence[str]) -> tuple[str, ...]:
    """The names of tools given as JSON in OpenAI's function form.

    Raises:
        EngineError: SETTING_INVALID where one is no JSON object.
    """
    parsed = [_parsed_tool(tool) for tool in tools]
    functions = (tool.get("function", tool) for tool in parsed)
    found = (f.get("name") for f in functions if isinstance(f, dict))
    return tuple(name for name in found if isinstance(name, str))
