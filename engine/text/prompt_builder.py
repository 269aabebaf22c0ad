"""Prompts as ids, each an extension of the prompts before it (see ``prompt``).

What the template put before and between replies is remembered for every beginning of a
conversation, so a prompt costs two renderings however long the conversation is, and the same
beginning always yields the same ids, even after midnight in a template that writes the date.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.contract import Message, Role, Thinking
from engine.text.channels import ReplyForm
from engine.text.conversation import Adaptation
from engine.text.marks import Tags, opened_by
from engine.text.prompt import Renderer, Request
from engine.text.sampled import SampledReplies
from engine.text.tokenizer import Tokenizer

_MOST_REMEMBERED = 20_000


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


@dataclass(frozen=True, slots=True)
class _Tail:
    """What the template puts between the last sampled reply and the next one.

    Attributes:
        parts: control ids, and the plain text between them.
        opens: the reasoning tags that its end has opened.
    """

    parts: tuple[str | int, ...]
    opens: Tags | None


class _AnchorLostError(Exception):
    """The template does not show the reply at ``place`` exactly once."""

    def __init__(self, place: int) -> None:
        self.place = place
        super().__init__(place)


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
        self._prefixes: dict[tuple[int, Message, bool], int] = {}
        self._tails: dict[tuple[int, Request, Adaptation], _Tail] = {}
        self._answered: dict[int, Request] = {}

    def build(self, messages: Sequence[Message], request: Request) -> Built:
        """The ids after which the model answers ``messages``.

        Raises:
            EngineError: TEMPLATE_REFUSED or TEMPLATE_INVALID.
        """
        adaptation = self._renderer.adaptation(messages, request)
        adapted = adaptation.apply(messages)
        places = {
            place
            for place, message in enumerate(adapted)
            if message.role == Role.ASSISTANT and message.ids
        }
        while True:
            try:
                return self._extend(adapted, request, adaptation, frozenset(places))
            except _AnchorLostError as lost:
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
            if sampled is not None:
                return self._with_sampled(built, reply, sampled)
        built = self.build(messages[:-1], request)
        return self._with_text(built, reply)

    def _extend(
        self,
        messages: Sequence[Message],
        request: Request,
        adaptation: Adaptation,
        places: frozenset[int],
    ) -> Built:
        """The prompt in which the replies at ``places`` are the sampled ids."""
        if len(self._prefixes) > _MOST_REMEMBERED:
            self._prefixes.clear()
            self._tails.clear()
            self._answered.clear()
        ids: list[int] = []
        prefix = 0
        last: int | None = None
        for place, message in enumerate(messages):
            if place in places:
                tail, sampled = self._reply(
                    messages, place, last, prefix, request, adaptation, places
                )
                self._append(ids, messages, last, tail)
                ids += sampled
                last = place
            key = (prefix, message, place in places)
            prefix = self._prefixes.setdefault(key, len(self._prefixes) + 1)
        tail = self._tail(messages, last, prefix, request, adaptation, places)
        self._answered[prefix] = request
        self._append(ids, messages, last, tail)
        return Built(tuple(ids), tail.opens, adaptation)

    def _reply(
        self,
        messages: Sequence[Message],
        place: int,
        last: int | None,
        prefix: int,
        request: Request,
        adaptation: Adaptation,
        places: frozenset[int],
    ) -> tuple[_Tail, tuple[int, ...]]:
        """The prompt that the reply at ``place`` answered, and what was sampled.

        Raises:
            _AnchorLostError: the ids are not those of this message.
        """
        message = messages[place]
        for asked in self._askings(prefix, message, request):
            tail = self._tail(messages[:place], last, prefix, asked, adaptation, places)
            sampled = self._sampled.body(message, tail.opens)
            if sampled is not None:
                return tail, sampled
        raise _AnchorLostError(place)

    def _askings(self, prefix: int, message: Message, request: Request) -> list[Request]:
        """How the reply may have been asked for, the likeliest first.

        Known if it was in this session. Else a reply without reasoning of a model with a switch was
        likely asked for with the switch off.
        """
        if prefix in self._answered:
            known = replace(self._answered[prefix], tools=request.tools)
            return [known, *self._guesses(message, request)]
        return self._guesses(message, request)

    def _guesses(self, message: Message, request: Request) -> list[Request]:
        has_switch = self._renderer.template.has_thinking_switch
        if not has_switch and not self._form.own_tags:
            return [request]
        silent = has_switch and not message.reasoning
        silent = silent and not self._sampled.begins_reasoning(message)
        order = [request.thinking, Thinking.AUTO, Thinking.ON, Thinking.OFF]
        if silent:
            order.insert(0, Thinking.OFF)
        return [replace(request, thinking=thinking) for thinking in dict.fromkeys(order)]

    def _tail(
        self,
        messages: Sequence[Message],
        last: int | None,
        prefix: int,
        request: Request,
        adaptation: Adaptation,
        places: frozenset[int],
    ) -> _Tail:
        """What follows the reply at ``last`` in the prompt for ``messages``; all of it if None."""
        key = (prefix, request, adaptation)
        found = self._tails.get(key)
        if found is None:
            found = self._tails[key] = self._render_tail(
                messages, last, request, adaptation, places
            )
        return found

    def _render_tail(
        self,
        messages: Sequence[Message],
        last: int | None,
        request: Request,
        adaptation: Adaptation,
        places: frozenset[int],
    ) -> _Tail:
        marks = self._renderer.marks(messages, request.tools)
        text = self._renderer.render(messages, request, adaptation, marks, places)
        if last is not None:
            before, found, text = text.rpartition(marks.word(last))
            if not found or (marks.word(last) in before and not messages[last].tool_calls):
                raise _AnchorLostError(last)
        text = self._switched(text, request)
        parts = (
            part.replace(marks.sentinel, "") if isinstance(part, str) else part
            for part in self._tokenizer.control.split(text)
        )
        return _Tail(tuple(part for part in parts if part != ""), opened_by(text))

    def _switched(self, text: str, request: Request) -> str:
        """The prompt's end for a template that has no switch, but tags of its own."""
        if self._renderer.template.has_thinking_switch or not self._form.own_tags:
            return text
        opens = opened_by(text)
        tags = opens or self._form.own_tags[0]
        if request.thinking is Thinking.OFF:
            return text + ("" if opens else f"{tags.open}\n") + f"\n{tags.close}\n\n"
        if request.thinking is Thinking.ON and opens is None:
            return f"{text}{tags.open}\n"
        return text

    def _append(
        self, ids: list[int], messages: Sequence[Message], last: int | None, tail: _Tail
    ) -> None:
        """Put a tail after what is there, the turn's end that both have only once."""
        parts = list(tail.parts)
        if last is not None and messages[last].tool_calls:
            parts = self._from_end(parts, last)
        if last is not None and ids and ids[-1] in self._end_ids:
            parts = self._once_ended(ids, parts)
        for place, part in enumerate(parts):
            if isinstance(part, int):
                ids.append(part)
            else:
                ids += self._tokenizer.encode(part, starts=last is None and place == 0)

    def _from_end(self, parts: list[str | int], last: int) -> list[str | int]:
        """``parts`` from the turn's end on: before it stands the rest of an anchored call.

        Raises:
            _AnchorLostError: the template writes no end.
        """
        for place, part in enumerate(parts):
            if part in self._end_ids:
                return parts[place:]
        raise _AnchorLostError(last)

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

    def _with_sampled(self, built: Built, reply: Message, sampled: tuple[int, ...]) -> Built:
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
