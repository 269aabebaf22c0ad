"""A thinking model whose template drops its reasoning still finds its cache again (case E22)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.answering import Answering
from engine.contract import (
    Channel,
    Constraint,
    ConstraintKind,
    Event,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Load,
    Message,
    Metrics,
    Progress,
    Role,
    Sampling,
    Stage,
    TextDelta,
    Thinking,
)
from engine.engine import Engine
from tests.doubles.engines import DirectService
from tests.doubles.models import MockModel, mock_loaded
from tests.engine.laws import terminal_of, text_of
from tests.text.shapes import THINKING
from tests.text.vocabularies import chat_tokenizer, model_text

TOKENS = chat_tokenizer()
ASKS = TOKENS.encode("<|im_start|>assistant\n", control=True)
GREEDY = GenerateSettings(Sampling(temperature=0))


def says(reply: str) -> Callable[[NDArray[np.int64]], NDArray[np.float32]]:
    """A model that gives this reply to whatever it is asked."""
    script = TOKENS.encode(reply, control=True, starts=False)

    def rule(ids: NDArray[np.int64]) -> NDArray[np.float32]:
        logits = np.zeros(TOKENS.size, dtype=np.float32)
        for written in range(len(script)):
            asked = len(ids) - written
            if asked >= len(ASKS) and ids[asked - len(ASKS) : asked].tolist() == ASKS:
                logits[script[written]] = 9
                break
        return logits

    return rule


class Asked:
    """A conversation with a mock model that gives one scripted reply."""

    def __init__(self, reply: str) -> None:
        self.model = MockModel(vocabulary=TOKENS.size, rule=says(reply))
        loaded = replace(mock_loaded(model=self.model), text=model_text(THINKING))
        self.events: list[Event] = []
        self.request = 1

        def load(command: Load) -> Generator[Event, None, Answering]:
            yield Progress(command.request, Stage.READING, 1, 1)
            return Answering(loaded)

        self.service = DirectService(self.events.append, lambda: Engine(load))
        self.service.submit(Load(1, Path("mock")))
        self.service.run_all()

    def ask(
        self,
        *messages: Message,
        settings: GenerateSettings = GREEDY,
        thinking: Thinking = Thinking.AUTO,
    ) -> Finished:
        self.request += 1
        self.service.submit(Generate(self.request, messages, settings, thinking))
        self.service.run_all()
        end = terminal_of(self.request, self.events)
        assert isinstance(end, Finished)
        return end

    def reply(self, end: Finished) -> Message:
        """The message that a window keeps of a reply."""
        return Message(
            Role.ASSISTANT,
            text_of(end.request, self.events),
            text_of(end.request, self.events, "reasoning"),
            ids=end.ids,
        )


def question(text: str) -> Message:
    return Message(Role.USER, text)


def test_E22_each_turn_reads_only_what_is_new() -> None:
    asked = Asked("<think>\nhmm, well\n</think>\n\nhello<|im_end|>")
    conversation = [question("one")]
    before = 0
    for text in ("two", "three", "four"):
        end = asked.ask(*conversation)
        assert end.reason is FinishReason.END_OF_TURN
        assert text_of(end.request, asked.events) == "hello"
        assert text_of(end.request, asked.events, "reasoning").strip() == "hmm, well"
        assert 0 < end.usage.reasoning_tokens < end.usage.generated_tokens
        # The last sampled token was never fed, so it is read with the next question.
        assert end.usage.reused_tokens == max(before - 1, 0)
        before = end.usage.prompt_tokens + end.usage.generated_tokens
        conversation += [asked.reply(end), question(text)]


def test_I9_the_meter_counts_while_it_thinks_and_never_goes_back() -> None:
    """The count begins with the thought's first token; how often it is told is a matter of time."""
    asked = Asked("<think>\n" + "hmm, well " * 20 + "\n</think>\n\nhello<|im_end|>")
    end = asked.ask(question("one"))
    events = [each for each in asked.events if getattr(each, "request", 0) == end.request]
    answer = next(
        place
        for place, each in enumerate(events)
        if isinstance(each, TextDelta) and each.channel is Channel.ANSWER
    )
    counts = [each.generated_tokens for each in events if isinstance(each, Metrics)]
    thinking = [each for each in events[:answer] if isinstance(each, Metrics)]
    assert thinking
    assert counts == sorted(counts)
    assert thinking[-1].context_used == end.usage.prompt_tokens + thinking[-1].generated_tokens


def constrained(thinking: Thinking) -> tuple[Asked, Finished]:
    """A model that would rather reason and say hello, held to three digits."""
    asked = Asked("<think>\nanything at all\n</think>\n\nhello<|im_end|>")
    constraint = Constraint(ConstraintKind.REGEX, "[0-9]{3}")
    settings = replace(GREEDY, constraint=constraint, max_tokens=60)
    return asked, asked.ask(question("one"), settings=settings, thinking=thinking)


def test_reasoning_that_the_model_opens_is_free_and_the_answer_is_constrained() -> None:
    asked, end = constrained(Thinking.AUTO)
    answer = text_of(end.request, asked.events)
    assert answer.isdecimal()
    assert len(answer) == 3
    assert text_of(end.request, asked.events, "reasoning").strip() == "anything at all"
    assert end.reason is FinishReason.END_OF_TURN


def test_a_constraint_holds_from_the_first_token_where_no_reasoning_is_wanted() -> None:
    asked, end = constrained(Thinking.OFF)
    assert text_of(end.request, asked.events).isdecimal()
    assert text_of(end.request, asked.events, "reasoning") == ""
    assert end.reason is FinishReason.END_OF_TURN
