"""What the template puts before, between and after replies, found once and remembered.

A conversation's beginning is numbered by all that led to it; for each number and way of asking, the
text from the last sampled reply to the next one is kept. So a prompt costs one rendering of what is
new, and the same beginning always yields the same ids, even after midnight in a template that
writes the date.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.contract import Message, Thinking
from engine.text.conversation import Adaptation
from engine.text.marks import Tags, opened_by
from engine.text.prompt import Renderer, Request

_MOST_REMEMBERED = 20_000


class AnchorLostError(Exception):
    """The template does not show the reply at ``place`` where it could be put in as it was."""

    def __init__(self, place: int) -> None:
        self.place = place
        super().__init__(place)


@dataclass(frozen=True, slots=True)
class Tail:
    """What the template puts between the last sampled reply and the next one.

    Attributes:
        parts: control ids, and the plain text between them.
        opens: the reasoning tags that its end has opened.
    """

    parts: tuple[str | int, ...]
    opens: Tags | None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Adapted messages, and where among them sampled ids stand for the text.

    Attributes:
        messages: as the template takes them.
        adaptation: what was done to them.
        places: indices of the replies that are put in as they were sampled.
    """

    messages: tuple[Message, ...]
    adaptation: Adaptation
    places: frozenset[int]


class Tails:
    """The tails of all conversations with one model.

    Args:
        renderer: renders its template.
        own_tags: the model's reasoning tags; a template that has no switch, but writes them, is
            switched by them.
    """

    def __init__(self, renderer: Renderer, own_tags: Sequence[Tags]) -> None:
        self._renderer = renderer
        self._switch = tuple(tag for tag in own_tags if tag.close in renderer.template.source)
        self._numbers: dict[tuple[int, Message, bool], int] = {}
        self._tails: dict[tuple[int, Request, Adaptation], Tail] = {}
        self._asked: dict[int, Request] = {}

    def forget_if_many(self) -> None:
        """Keep memory in bounds; only between prompts, for numbers are valid until then."""
        if len(self._numbers) > _MOST_REMEMBERED:
            self._numbers.clear()
            self._tails.clear()
            self._asked.clear()

    def number(self, before: int, message: Message, *, is_sampled: bool) -> int:
        """The number of the beginning ``before`` with ``message`` after it; 0 is the empty one."""
        return self._numbers.setdefault((before, message, is_sampled), len(self._numbers) + 1)

    def asked(self, beginning: int) -> Request | None:
        """How the reply to this beginning was asked for last; None if it never was."""
        return self._asked.get(beginning)

    def ask(self, beginning: int, request: Request) -> None:
        """Remember how the reply to this beginning is asked for."""
        self._asked[beginning] = request

    def tail(
        self,
        conversation: Conversation,
        end: int,
        last: int | None,
        beginning: int,
        request: Request,
    ) -> Tail:
        """What follows the reply at ``last`` in the prompt for the messages before ``end``.

        Args:
            conversation: the messages.
            end: how many of them there are.
            last: the place of the last reply that was sampled; without one all is the tail.
            beginning: the number of these messages.
            request: how the reply is asked for.

        Raises:
            AnchorLostError: the template does not show the reply at ``last`` once, as a whole.
        """
        key = (beginning, request, conversation.adaptation)
        if key not in self._tails:
            self._tails[key] = self._render(conversation, end, last, request)
        return self._tails[key]

    def _render(
        self, conversation: Conversation, end: int, last: int | None, request: Request
    ) -> Tail:
        messages = conversation.messages[:end]
        marks = self._renderer.marks(messages, request.tools)
        text = self._renderer.render(
            messages, request, conversation.adaptation, marks, conversation.places
        )
        if last is not None:
            word = marks.word(last)
            before, found, text = text.rpartition(word)
            # a call's anchor stands in its arguments as key and value
            is_twice = word in before and not messages[last].tool_calls
            if not found or is_twice or marks.anchor in text:
                raise AnchorLostError(last)
        text = self._switched(text, request)
        parts = (
            part.replace(marks.sentinel, "") if isinstance(part, str) else part
            for part in self._renderer.control.split(text)
        )
        return Tail(tuple(part for part in parts if part != ""), opened_by(text))

    def _switched(self, text: str, request: Request) -> str:
        """The prompt's end for a template that has no switch, but tags of its own."""
        if self._renderer.template.has_thinking_switch or not self._switch:
            return text
        opens = opened_by(text)
        tags = opens or self._switch[0]
        if request.thinking is Thinking.OFF:
            return text + ("" if opens else f"{tags.open}\n") + f"\n{tags.close}\n\n"
        if request.thinking is Thinking.ON and opens is None:
            return f"{text}{tags.open}\n"
        return text
