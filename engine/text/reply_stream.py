"""A reply as it is sampled: ids in, text by channel out.

Three rings, each useful by itself: ``Detokenizer`` makes whole characters of ids, ``StopStrings``
ends the text before a stop string, ``Channels`` tells reasoning, answer and tool calls apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.contract import Channel
from engine.text.channels import Channels, Delta, ReplyForm
from engine.text.detokenizer import Detokenizer, Piece
from engine.text.harmony import HarmonyChannels
from engine.text.marks import REASONING_TAGS, Tags
from engine.text.stop_strings import StopStrings
from engine.text.tokenizer import Tokenizer


class ReplyStream:
    """The rings of one reply.

    Args:
        tokenizer: whose ids come in.
        form: the model's marks.
        stop: stop strings.
        opens: the reasoning tags that the prompt has opened.
        continues: whether the reply goes on from text that was already there.
        trims: whether white space before the answer is dropped.
        tools: names of the tools that were offered.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        form: ReplyForm,
        *,
        stop: Sequence[str] = (),
        opens: Tags | None = None,
        continues: bool = False,
        trims: bool = False,
        tools: Sequence[str] = (),
    ) -> None:
        self._detokenizer = Detokenizer(tokenizer, continues=continues)
        self._stops = StopStrings(stop)
        self._channels: Channels | HarmonyChannels = (
            HarmonyChannels(opens=opens)
            if form.harmony
            else Channels(form, opens=opens, trims=trims, tools=tools)
        )
        self._stop = frozenset(stop)

    @property
    def stopped(self) -> bool:
        """Whether a stop string was met; the reply is over then."""
        return self._stops.met is not None

    @property
    def inside(self) -> Tags | None:
        """The reasoning tags that the text so far has opened and not closed."""
        return self._channels.reasoning

    def push(self, id: int) -> list[Delta]:
        """The text that ``id`` makes certain, by channel; may be empty."""
        return self._pass(self._detokenizer.push(id))

    def finish(self) -> list[Delta]:
        """What was held back, now that nothing follows."""
        deltas = self._pass(self._detokenizer.finish())
        deltas += self._channels.push(self._stops.finish())
        return deltas + self._channels.finish()

    def _pass(self, pieces: Sequence[Piece]) -> list[Delta]:
        """Lead pieces through the outer rings."""
        deltas: list[Delta] = []
        for piece in pieces:
            if self.stopped:
                break
            if not piece.control:
                deltas += self._channels.push(self._stops.push(piece.text))
                continue
            deltas += self._channels.push(self._stops.finish())
            if piece.text in self._stop:
                self._stops.met = piece.text
            else:
                deltas += self._channels.push(piece.text, control=True)
        return deltas


def split_text(text: str, form: ReplyForm) -> dict[Channel, str]:
    """The channels of a whole reply that is only known as text.

    A closing tag without an opening one means that the template had opened it.
    """
    opens = None
    for tag in (*form.own_tags, REASONING_TAGS[0]):
        before, found, _ = text.partition(tag.close)
        if found and tag.open not in before:
            opens = tag
            break
    channels = Channels(form, opens=opens)
    return joined([*channels.push(text), *channels.finish()])


def joined(deltas: Iterable[Delta]) -> dict[Channel, str]:
    """The whole text of each channel."""
    whole = dict.fromkeys(Channel, "")
    for channel, text in deltas:
        whole[channel] += text
    return whole
