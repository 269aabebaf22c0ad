"""What the model really sampled for a reply, checked against what the conversation shows of it.

A message's ids are only used where they spell its text. A reply that ended at a stop string has
ids beyond its text, one that was cut has fewer: the difference is taken off or spelled out.
"""

from __future__ import annotations

from functools import lru_cache

from engine.contract import Channel, Message
from engine.text.channels import ReplyForm
from engine.text.marks import REASONING_TAGS, Match, Tags, match_mark
from engine.text.reply_stream import ReplyStream, joined
from engine.text.tokenizer import Tokenizer


class SampledReplies:
    """The ids of replies, in the form in which a prompt may hold them."""

    def __init__(self, tokenizer: Tokenizer, form: ReplyForm, end_ids: frozenset[int]) -> None:
        self._tokenizer = tokenizer
        self._form = form
        self._end_ids = end_ids
        self.body = lru_cache(maxsize=4096)(self._body)

    def begins_reasoning(self, message: Message) -> bool:
        """Whether the reply itself opened its reasoning."""
        text = self._tokenizer.decode(message.ids[:16], control=True).lstrip()
        return match_mark(text, [tag.open for tag in REASONING_TAGS])[0] is Match.WHOLE

    def ends_inside(self, ids: tuple[int, ...], opens: Tags | None) -> Tags | None:
        """The reasoning tags that a reply of these ids has left open."""
        stream = ReplyStream(self._tokenizer, self._form, opens=opens)
        for id in ids:
            stream.push(id)
        return stream.inside

    def _body(self, message: Message, opens: Tags | None) -> tuple[int, ...] | None:
        """The ids that spell ``message`` after a prompt that ``opens`` reasoning; None if none do.

        A final end id stays where nothing had to be changed.
        """
        whole = self._text(message.ids, opens)
        answer, content = whole[Channel.ANSWER], message.content
        reasoning = whole[Channel.REASONING].strip()
        if reasoning != message.reasoning.strip():
            return None
        if answer.strip() == content.strip():
            return message.ids
        if answer.startswith(content):
            return self._cut(message, opens)
        if answer and content.startswith(answer):
            ids = message.ids[:-1] if message.ids[-1] in self._end_ids else message.ids
            return (*ids, *self._spelled(content[len(answer) :]))
        return None

    def _cut(self, message: Message, opens: Tags | None) -> tuple[int, ...]:
        """The ids up to the end of the content; a token that goes beyond it is spelled again."""
        stream = ReplyStream(self._tokenizer, self._form, opens=opens)
        length, kept = 0, 0
        for id in message.ids:
            length += len(joined(stream.push(id))[Channel.ANSWER])
            if length > len(message.content):
                break
            kept += 1
        ids = message.ids[:kept]
        answer = self._text(ids, opens)[Channel.ANSWER]
        while kept and not message.content.startswith(answer):
            kept -= 1
            ids = message.ids[:kept]
            answer = self._text(ids, opens)[Channel.ANSWER]
        return (*ids, *self._spelled(message.content[len(answer) :]))

    def _spelled(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, starts=False) if text else []

    def _text(self, ids: tuple[int, ...], opens: Tags | None) -> dict[Channel, str]:
        stream = ReplyStream(self._tokenizer, self._form, opens=opens)
        deltas = [delta for id in ids for delta in stream.push(id)]
        return joined([*deltas, *stream.finish()])
