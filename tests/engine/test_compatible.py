"""Compatibility mode through the whole engine: said so, streamed, stopped, sampled, reused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from engine.contract import (
    Complete,
    Event,
    Finished,
    FinishReason,
    GenerateSettings,
    Load,
    Loaded,
    LoadSettings,
    NoticeKind,
    Sampling,
    TextDelta,
)
from engine.engine import Engine
from tests.doubles.engines import DirectService
from tests.doubles.model_folders import END, VOCABULARY, write_model
from tests.families.parity import tiny

SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "bos_token_id": END,
    "eos_token_id": END,
}
PAIR = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "decoder_start_token_id": END,
    "eos_token_id": END,
    "bos_token_id": END,
    "pad_token_id": END,
}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "GPT2": ("GPT2LMHeadModel", {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256}),
    "Bloom": ("BloomForCausalLM", {"n_layer": 2, "n_head": 4}),
    "Falcon": ("FalconForCausalLM", {}),
    "GPTNeoX": ("GPTNeoXForCausalLM", {"intermediate_size": 48, "max_position_embeddings": 256}),
    "Mamba": ("MambaForCausalLM", {"state_size": 8}),
    "Rwkv": ("RwkvForCausalLM", {"attention_hidden_size": 32}),
}
PAIRS: dict[str, tuple[str, dict[str, Any]]] = {
    "T5": (
        "T5ForConditionalGeneration",
        {"d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4},
    ),
    "Bart": (
        "BartForConditionalGeneration",
        {
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 48,
            "decoder_ffn_dim": 48,
            "max_position_embeddings": 256,
        },
    ),
}
PROMPT = "The tide comes in twice a day, and "
GREEDY = Sampling(temperature=0.0)


class Conversation:
    """The engine with a model of one kind."""

    def __init__(self, folder: Path, name: str) -> None:
        kind, more = {**KINDS, **PAIRS}[name]
        sizes = {**(PAIR if name in PAIRS else SIZES), **more}
        oracle = tiny(getattr(transformers, kind), getattr(transformers, f"{name}Config")(**sizes))
        self.path = write_model(folder, oracle)
        self.events: list[Event] = []
        self.service = DirectService(self.events.append, Engine)
        self.request = 0
        self.load = self.run(Load(self.next(), self.path, LoadSettings(context=256, threads=1)))

    def next(self) -> int:
        self.request += 1
        return self.request

    def run(self, *commands: Any) -> list[Event]:
        """Submit all at once; the events until all have ended."""
        self.events.clear()
        for command in commands:
            self.service.submit(command)
        self.service.run_all()
        return list(self.events)

    def reply(self, prompt: str = PROMPT, **settings: Any) -> tuple[str, Finished]:
        """A completion's text and its end."""
        settings = {"sampling": GREEDY, "max_tokens": 12, **settings}
        events = self.run(Complete(self.next(), prompt, GenerateSettings(**settings)))
        end = events[-1]
        assert isinstance(end, Finished), end
        return "".join(e.text for e in events if isinstance(e, TextDelta)), end


@pytest.fixture
def threads_of_torch() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads_of_torch")
@pytest.mark.parametrize("name", [*KINDS, *PAIRS])
def test_a_model_without_a_family_streams_stops_and_samples(tmp_path: Path, name: str) -> None:
    conversation = Conversation(tmp_path, name)
    loaded = next(event for event in conversation.load if isinstance(event, Loaded))
    notices = [notice.kind for notice in loaded.notices]
    assert NoticeKind.COMPATIBILITY_MODE in notices

    hot = Sampling(temperature=3.0, top_k=0, top_p=1.0, seed=7)
    whole, end = conversation.reply(sampling=hot, max_tokens=60, alternatives=1)
    assert end.reason in {FinishReason.LENGTH, FinishReason.END_OF_TURN}
    told = [e.tokens for e in conversation.events if isinstance(e, TextDelta)]
    assert sum(map(len, told)) == end.usage.generated_tokens == len(end.ids) > 10
    again, same = conversation.reply(sampling=hot, max_tokens=60)
    assert (again, same.ids) == (whole, end.ids), "the same seed, out of the cache"
    other = conversation.reply(sampling=replace(hot, seed=8), max_tokens=60)[1]
    assert other.ids != end.ids

    middle = whole[len(whole) // 2]
    cut, stopped = conversation.reply(sampling=hot, max_tokens=60, stop=(middle,))
    assert cut == whole[: whole.index(middle)]
    assert stopped.reason is FinishReason.STOP_STRING
    greedy = conversation.reply()[1].ids
    assert conversation.reply()[1].ids == greedy
    conversation.service.close()


@pytest.mark.usefixtures("threads_of_torch")
@pytest.mark.parametrize("name", [*KINDS, *PAIRS])
def test_requests_side_by_side_say_what_each_says_alone(tmp_path: Path, name: str) -> None:
    """All get a token in every step: none waits for another's end."""
    conversation = Conversation(tmp_path, name)
    prompts = [PROMPT, "A second question, which is longer than the first one: ", "Third"]
    alone = [conversation.reply(prompt)[1].ids for prompt in prompts]
    settings = GenerateSettings(sampling=GREEDY, max_tokens=12)
    commands = [Complete(conversation.next(), prompt, settings) for prompt in prompts]
    events = conversation.run(*commands)
    ends = {event.request: event for event in events if isinstance(event, Finished)}
    assert [ends[command.request].ids for command in commands] == alone
    first_end = next(i for i, event in enumerate(events) if isinstance(event, Finished))
    begun = {event.request for event in events[:first_end] if isinstance(event, TextDelta)}
    speaking = {
        c.request
        for c in commands
        if any(isinstance(e, TextDelta) and e.request == c.request for e in events)
    }
    assert begun == speaking
    conversation.service.close()


@pytest.mark.usefixtures("threads_of_torch")
@pytest.mark.parametrize("name", ["GPT2", "Bloom", "Falcon", "GPTNeoX"])
def test_a_second_turn_reuses_the_first(tmp_path: Path, name: str) -> None:
    conversation = Conversation(tmp_path, name)
    _, first = conversation.reply()
    _, second = conversation.reply(PROMPT + "and more of it")
    assert first.usage.reused_tokens == 0
    assert second.usage.reused_tokens >= len(PROMPT) - 1
    conversation.service.close()
