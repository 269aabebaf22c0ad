"""How fast a model runs on this machine, measured through the engine that the window uses.

Every figure comes from the contract's own events, so it is what a user gets: prompt, sampling,
detokenizing and all. Rounds of prefill and decode alternate and medians are told, because other
load on the machine comes and goes. Decode is compared with its limit: a token cannot come faster
than the memory delivers the weights and the cache that it reads.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from engine.cli_options import load_settings, model_path
from engine.cli_terminal import EngineAtTerminal
from engine.cli_words import bytes_text
from engine.contract import (
    Complete,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Load,
    Loaded,
    Message,
    Role,
    Sampling,
)

_WORDS = ("sea", "wind", "and", "the", "old", "ship", "of", "sails", "to", "night", "a", "harbour")
_QUESTION = "Tell me about the sea, the wind and the ships that sail on it, in some detail."
_FOLLOW_UP = "And what do sailors fear most?"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured; times in seconds, rates in tokens or bytes a second, medians of rounds.

    Attributes:
        time_to_first_token_cold_s: of a first question, nothing of it in the cache.
        time_to_first_token_second_turn_s: of a question after a reply.
        second_turn_reused_tokens: of the second turn's prompt.
        second_turn_prompt_tokens: of which those were reused.
        decode_bytes_per_token: weights and cache that one token reads.
        decode_share_of_bandwidth: decode's rate over what the memory would allow.
    """

    model: str
    device: str
    threads: int
    load_s: float
    prefill_tokens: int
    prefill_tokens_per_second: float
    decode_tokens: int
    decode_tokens_per_second: float
    time_to_first_token_cold_s: float
    time_to_first_token_second_turn_s: float
    second_turn_prompt_tokens: int
    second_turn_reused_tokens: int
    file_bytes: int
    weight_bytes: int
    cache_bytes: int
    peak_bytes: int
    read_bytes_per_second: float
    decode_bytes_per_token: int
    decode_share_of_bandwidth: float


def measure(options: argparse.Namespace) -> Measured | None:
    """Load the model and measure it; None if Ctrl-C stopped it.

    Raises:
        EngineError: of loading, and PROMPT_TOO_LONG for more tokens than the context holds.
    """
    bench = _Bench(options)
    if (loaded := bench.load()) is None:
        return None
    turns = bench.two_turns()
    prefills, decodes = [], []
    for number in range(options.rounds):
        prefills.append(bench.prefill(number, options.prompt_tokens))
        decodes.append(bench.decode(number, options.decode_tokens))
    ends = [*turns, *prefills, *decodes]
    if any(end.reason is FinishReason.CANCELLED for end in ends):
        return None
    return _measured(loaded, turns, prefills, decodes)


def _measured(
    loaded: Loaded,
    turns: tuple[Finished, Finished],
    prefills: Sequence[Finished],
    decodes: Sequence[Finished],
) -> Measured:
    # Behind torch, which only the engine's own start may import; by now it is there.
    from engine.device import peak_resident_bytes  # noqa: PLC0415

    peak = peak_resident_bytes()  # before the bandwidth's own buffer
    from engine.kernels.bandwidth import measure_read_bandwidth  # noqa: PLC0415

    decode = statistics.median(end.timings.tokens_per_second or 0.0 for end in decodes)
    depth = decodes[0].usage.prompt_tokens + decodes[0].usage.generated_tokens // 2
    read = loaded.model.cache_bytes_per_token * depth + loaded.memory.weights
    bandwidth = measure_read_bandwidth(loaded.threads)
    first, second = turns
    return Measured(
        model=str(loaded.model.path),
        device=loaded.device,
        threads=loaded.threads,
        load_s=loaded.load_s,
        prefill_tokens=prefills[0].usage.prompt_tokens,
        prefill_tokens_per_second=statistics.median(
            end.timings.prefill_tokens_per_second or 0.0 for end in prefills
        ),
        decode_tokens=decodes[0].usage.generated_tokens,
        decode_tokens_per_second=decode,
        time_to_first_token_cold_s=first.timings.time_to_first_token_s,
        time_to_first_token_second_turn_s=second.timings.time_to_first_token_s,
        second_turn_prompt_tokens=second.usage.prompt_tokens,
        second_turn_reused_tokens=second.usage.reused_tokens,
        file_bytes=loaded.model.size_bytes,
        weight_bytes=loaded.memory.weights,
        cache_bytes=loaded.memory.cache,
        peak_bytes=peak,
        read_bytes_per_second=bandwidth,
        decode_bytes_per_token=read,
        decode_share_of_bandwidth=decode * read / bandwidth,
    )


class _Bench:
    """The requests that are measured."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._terminal = EngineAtTerminal()
        self._options = options

    def load(self) -> Loaded | None:
        """Load the model."""
        path, settings = model_path(self._options.model), load_settings(self._options)
        loaded = None
        for event in self._terminal.run(Load(self._terminal.next_request(), path, settings)):
            if isinstance(event, Loaded):
                loaded = event
        return loaded

    def two_turns(self) -> tuple[Finished, Finished]:
        """A question with its reply, and a second question after it."""
        settings = _greedy(48)
        first = (Message(Role.USER, _QUESTION),)
        one = self._run(Generate(self._terminal.next_request(), first, settings))
        reply = Message(Role.ASSISTANT, "", ids=one.ids)
        second = (*first, reply, Message(Role.USER, _FOLLOW_UP))
        return one, self._run(Generate(self._terminal.next_request(), second, settings))

    def prefill(self, number: int, tokens: int) -> Finished:
        """Read a prompt of about ``tokens`` tokens that shares nothing with another round's."""
        text = " ".join(
            _WORDS[(number * 7 + i * (number + 3)) % len(_WORDS)] for i in range(tokens)
        )
        command = Complete(self._terminal.next_request(), f"{number}: {text}", _greedy(1))
        return self._run(command)

    def decode(self, number: int, tokens: int) -> Finished:
        """Write exactly ``tokens`` tokens after a short prompt."""
        command = Complete(
            self._terminal.next_request(), f"Story number {number}:", _greedy(tokens, endless=True)
        )
        return self._run(command)

    def _run(self, command: Generate | Complete) -> Finished:
        for event in self._terminal.run(command):
            if isinstance(event, Finished):
                return event
        raise RuntimeError("a reply ended without a terminal event")


def _greedy(tokens: int, *, endless: bool = False) -> GenerateSettings:
    sampling = Sampling(temperature=0, min_tokens=tokens if endless else 0)
    return GenerateSettings(sampling, max_tokens=tokens)


def report(measured: Measured) -> str:
    """The figures as lines to read."""
    m = measured
    return "\n".join(
        (
            f"{m.model} on {m.device}, {m.threads} threads",
            f"load            {m.load_s:.2f} s",
            f"prefill         {m.prefill_tokens_per_second:.0f} tokens/s"
            f" ({m.prefill_tokens} tokens)",
            f"decode          {m.decode_tokens_per_second:.1f} tokens/s ({m.decode_tokens} tokens)",
            f"first token     {m.time_to_first_token_cold_s:.3f} s, "
            f"second turn {m.time_to_first_token_second_turn_s:.3f} s"
            f" ({m.second_turn_reused_tokens} of {m.second_turn_prompt_tokens} tokens reused)",
            f"memory          weights {bytes_text(m.weight_bytes)}, cache "
            f"{bytes_text(m.cache_bytes)}, peak {bytes_text(m.peak_bytes)} "
            f"(file {bytes_text(m.file_bytes)})",
            f"bandwidth       {m.read_bytes_per_second / 1e9:.1f} GB/s read; decode reads "
            f"{bytes_text(m.decode_bytes_per_token)} a token: "
            f"{100 * m.decode_share_of_bandwidth:.0f} % of it",
        )
    )
