"""Prompts as ids, each an extension of the prompts before it (see ``prompt``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from engine.contract import Message, Role, Thinking
from engine.text.channels import ReplyForm
from engine.text.conversation import Adaptation
from engine.text.marks import Tags
from engine.text.prompt import Renderer, Request
from engine.text.prompt_tails import AnchorLostError, Conversation, Tail, Tails
from engine.text.sampled import SampledReplies
from engine.text.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Built:
    """A prompt's ids and how the reply begins.

    Attributes:
        ids: BOS not yet added.
        opens: the reasoning tags that the prompt's end has opened.
        adaptation: what was changed for the template.
    """

    ids: tuple[int, ...]
    opens: Tags | None
    adaptation: Adaptation


@dataclass(slots=True)
class _Draft:
    """A prompt while it grows.

    Attributes:
        ids: so far.
        last: the place of the last reply that was put in as it was sampled.
        ended: whether that reply's last id is an end of turn.
        beginning: the number of the messages so far.
    """

    ids: list[int] = field(default_factory=list)
    last: int | None = None
    ended: bool = False
    beginning: int = 0


class PromptBuilder:
    """Builds prompts for one model; remembers what it built."""

    def __init__(
        self, renderer: Renderer, tokenizer: Tokenizer, form: ReplyForm, end_ids: frozenset[int]
    ) -> None:
        self._renderer = renderer
        self._tokenizer = tokenizer
        self._form = form
        self._end_ids = end_ids
        self._sampled = SampledReplies(tokenizer, form, end_ids)
        self._tails = Tails(renderer, form.own_tags)
        self._encoded = lru_cache(maxsize=4096)(self._encode)

    @property
    def takes_tools(self) -> bool:
        """Whether the template has a place for tools."""
        return self._renderer.tool_template.takes_tools

    def build(self, messages: Sequence[Message], request: Request) -> Built:
        """The ids after which the model answers ``messages``.

        Raises:
            EngineError: TEMPLATE_REFUSED or TEMPLATE_INVALID.
        """
        self._tails.forget_if_many()
        adaptation = self._renderer.adaptation(messages, request)
        adapted = adaptation.apply(messages)
        places = {
            place
            for place, message in enumerate(adapted)
            if message.role == Role.ASSISTANT and message.ids
        }
        while True:
            try:
                conversation = Conversation(adapted, adaptation, frozenset(places))
                return self._extend(conversation, request)
            except AnchorLostError as lost:
                places.discard(lost.place)

    def build_continued(self, messages: Sequence[Message], request: Request) -> Built:
        """The ids after which the model goes on with the last message, an assistant's.

        Raises:
            EngineError: TEMPLATE_REFUSED or TEMPLATE_INVALID.
        """
        reply = messages[-1]
        for asked in self._guesses(reply, request) if reply.ids else ():
            built = self.build(messages[:-1], asked)
            sampled = self._sampled.body(reply, built.opens)
            if sampled:
                return self._with_sampled(built, sampled)
        return self._with_text(self.build(messages[:-1], request), reply)

    def _extend(self, conversation: Conversation, request: Request) -> Built:
        """The prompt in which the replies at the conversation's places are the sampled ids.

        Raises:
            AnchorLostError: one of them cannot be.
        """
        draft = _Draft()
        for place, message in enumerate(conversation.messages):
            is_sampled = place in conversation.places
            if is_sampled:
                self._append_reply(draft, conversation, place, request)
            draft.beginning = self._tails.number(draft.beginning, message, is_sampled=is_sampled)
        end = len(conversation.messages)
        tail = self._tails.tail(conversation, end, draft.last, draft.beginning, request)
        self._tails.ask(draft.beginning, request)
        self._append_tail(draft, conversation, tail)
        return Built(tuple(draft.ids), tail.opens, conversation.adaptation)

    def _append_reply(
        self, draft: _Draft, conversation: Conversation, place: int, request: Request
    ) -> None:
        """Add the prompt that the reply at ``place`` answered, and what was sampled.

        Raises:
            AnchorLostError: the ids are not those of this message.
        """
        message = conversation.messages[place]
        for asked in self._askings(draft.beginning, message, request):
            tail = self._tails.tail(conversation, place, draft.last, draft.beginning, asked)
            sampled = self._sampled.body(message, tail.opens)
            if sampled:
                self._append_tail(draft, conversation, tail)
                draft.ids += sampled
                draft.last = place
                draft.ended = sampled[-1] in self._end_ids
                return
        raise AnchorLostError(place)

    def _askings(self, beginning: int, message: Message, request: Request) -> list[Request]:
        """How the reply may have been asked for, the likeliest first."""
        known = self._tails.asked(beginning)
        guesses = self._guesses(message, request)
        return guesses if known is None else [replace(known, tools=request.tools), *guesses]

    def _guesses(self, message: Message, request: Request) -> list[Request]:
        """The same for a reply of an earlier session.

        One without reasoning, of a model with a switch, was likely asked for with the switch off.
        """
        has_switch = self._renderer.template.has_thinking_switch
        if not has_switch and not self._form.own_tags:
            return [request]
        order = [request.thinking, Thinking.AUTO, Thinking.ON, Thinking.OFF]
        if has_switch and not message.reasoning and not self._sampled.begins_reasoning(message):
            order.insert(0, Thinking.OFF)
        return [replace(request, thinking=thinking) for thinking in dict.fromkeys(order)]

    def _append_tail(self, draft: _Draft, conversation: Conversation, tail: Tail) -> None:
        """Put a tail after what is there, the turn's end that both have only once."""
        parts = list(tail.parts)
        if draft.last is not None and conversation.messages[draft.last].tool_calls:
            parts = self._from_end(parts, draft.last)
        if draft.ended:
            parts = self._once_ended(draft.ids, parts)
        for place, part in enumerate(parts):
            if isinstance(part, int):
                draft.ids.append(part)
            else:
                draft.ids += self._encoded(part, draft.last is None and place == 0)

    def _encode(self, text: str, starts: bool) -> tuple[int, ...]:
        return tuple(self._tokenizer.encode(text, starts=starts))

    def _from_end(self, parts: list[str | int], last: int) -> list[str | int]:
        """``parts`` from the turn's end on: before it stands the rest of an anchored call.

        Raises:
            AnchorLostError: the template writes no end.
        """
        for place, part in enumerate(parts):
            if part in self._end_ids:
                return parts[place:]
        raise AnchorLostError(last)

    def _once_ended(self, ids: list[int], parts: list[str | int]) -> list[str | int]:
        """``parts`` without the end that was sampled; the template's own wins over another one.

        The last id sampled was never fed, so changing it costs nothing.
        """
        start = 1 if parts and isinstance(parts[0], str) and not parts[0].strip() else 0
        end = parts[start] if len(parts) > start else None
        if end == ids[-1]:
            return parts[start + 1 :]
        del ids[-1]
        return parts[start:] if end in self._end_ids else parts

    def _with_sampled(self, built: Built, sampled: tuple[int, ...]) -> Built:
        """The prompt with the ids of a reply that goes on; half a character at its end is left."""
        ids = list(sampled[:-1] if sampled[-1] in self._end_ids else sampled)
        while ids and self._tokenizer.decode(ids[-4:]).endswith("\ufffd"):
            del ids[-1]
        inside = self._sampled.ends_inside(tuple(ids), built.opens)
        return replace(built, ids=(*built.ids, *ids), opens=inside)

    def _with_text(self, built: Built, reply: Message) -> Built:
        """The prompt with a reply's text, its reasoning between the model's tags."""
        control = self._tokenizer.control
        tags = built.opens or self._form.reasoning
        parts: list[str | int] = []
        if reply.reasoning:
            parts += [] if built.opens else [*control.split(tags.open), "\n"]
            parts.append(reply.reasoning)
        if reply.content and (reply.reasoning or built.opens):
            parts += ["\n", *control.split(tags.close), "\n\n"]
        parts.append(reply.content)
        ids = list(built.ids)
        for part in parts:
            ids += [part] if isinstance(part, int) else self._tokenizer.encode(part, starts=False)
        inside = tags if not reply.content and (reply.reasoning or built.opens) else None
        return replace(built, ids=tuple(ids), opens=inside)
