"""Measures a model through the engine that the window uses, beside llama.cpp if wished.

Every figure of ours comes from the contract's own events, so it is what a user gets: prompt,
sampling, detokenizing and all; the peer is asked for its bare computation. Rounds alternate, and
medians are told, because other load on the machine comes and goes. Decode is compared with its
limit: a token cannot come faster than the memory delivers the weights and the cache that it reads.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from engine.bench.busy import busy
from engine.bench.figures import Measured, Side, Spread, ratios, spread
from engine.bench.peer import Peer
from engine.cli_options import load_settings, model_path
from engine.cli_terminal import EngineAtTerminal, show_notices
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
from engine.job_events import ToldProgress, tell_progress

_WORDS = ("sea", "wind", "and", "the", "old", "ship", "of", "sails", "to", "night", "a", "harbour")
_QUESTION = "Tell me about the sea, the wind and the ships that sail on it, in some detail."
_FOLLOW_UP = "And what do sailors fear most?"
_TRIAL_ROUNDS = 5


def measure(options: argparse.Namespace) -> Measured | None:
    """Load the model and measure it; None if Ctrl-C stopped it.

    Raises:
        EngineError: of loading, and PROMPT_TOO_LONG for more tokens than the context holds.
        PeerError: of the peer.
    """
    other = model_path(options.peer_model) if options.peer_model else None
    with ExitStack() as stack:
        wanted = (True, False) if options.against else ()
        peers = [stack.enter_context(Peer(options.peer, repack=repack)) for repack in wanted]
        run = _Bench(options)
        if (loaded := run.load()) is None:
            return None
        # Behind torch, which only the engine's own start may import; by now it is there.
        from engine.device import peak_resident_bytes  # noqa: PLC0415
        from engine.kernels.bandwidth import measure_read_bandwidth  # noqa: PLC0415

        turns = run.two_turns()
        words = run.words_for(options.prompt_tokens)
        _begin_peers(peers, loaded, turns, other)
        stack.enter_context(busy(options.busy))
        prefills, decodes, speeds, peak = [], [], [], 0
        for number in range(options.rounds):
            prefills.append(run.prefill(number + 1, words))
            decodes.append(run.decode(number, options.decode_tokens))
            peak = peak or peak_resident_bytes()  # before the bandwidth's own buffer
            speeds.append(measure_read_bandwidth(loaded.threads))
            if options.events:
                tell_progress("measuring", number + 1, options.rounds)
            for peer in peers:
                peer.prefill(prefills[-1].usage.prompt_tokens)
                peer.decode(decodes[-1].usage.prompt_tokens, options.decode_tokens)
        sides = tuple(peer.side() for peer in peers)
    if any(end.reason is FinishReason.CANCELLED for end in [*turns, *prefills, *decodes]):
        return None
    ours = _our_side(loaded, turns, prefills, decodes, peak)
    tokens, speed = prefills[0].usage.prompt_tokens, spread(speeds)
    return _measured(loaded, turns[1], decodes, (ours, *sides), speed, tokens, options.busy)


def _begin_peers(
    peers: Sequence[Peer], loaded: Loaded, turns: tuple[Finished, Finished], other: Path | None
) -> None:
    first, second = (end.usage for end in turns)
    path = other or loaded.model.path
    for peer in peers:
        peer.load(path, loaded.threads, loaded.context)
        new = second.prompt_tokens - second.reused_tokens
        peer.two_turns(first.prompt_tokens, first.generated_tokens, new)


def _measured(
    loaded: Loaded,
    second: Finished,
    decodes: Sequence[Finished],
    sides: tuple[Side, ...],
    bandwidth: Spread,
    prefill_tokens: int,
    others: int,
) -> Measured:
    from engine.kernels.cpu.processor import this_processor  # noqa: PLC0415 (behind torch)

    ours, peers = sides[0], sides[1:]
    usage = decodes[0].usage
    depth = usage.prompt_tokens + usage.generated_tokens // 2
    facts = loaded.model
    sliding = facts.window_bytes_per_token
    cache = (facts.cache_bytes_per_token - sliding) * depth + sliding * min(depth, facts.window)
    read = cache + loaded.memory.weights
    pairs = zip(ours.decode.rounds, bandwidth.rounds, strict=True)
    return Measured(
        model=str(loaded.model.path),
        device=loaded.device,
        processor=this_processor().label if loaded.device == "cpu" else "",
        threads=loaded.threads,
        busy=others,
        prefill_tokens=prefill_tokens,
        decode_tokens=usage.generated_tokens,
        ours=ours,
        peers=peers,
        ratios=ratios(ours, peers),
        second_turn_prompt_tokens=second.usage.prompt_tokens,
        second_turn_reused_tokens=second.usage.reused_tokens,
        file_bytes=loaded.model.size_bytes,
        weight_bytes=loaded.memory.weights,
        cache_bytes=loaded.memory.cache,
        read_bytes_per_second=bandwidth.median,
        decode_bytes_per_token=read,
        decode_share_of_bandwidth=median(rate * read / speed for rate, speed in pairs),
    )


def _our_side(
    loaded: Loaded,
    turns: tuple[Finished, Finished],
    prefills: Sequence[Finished],
    decodes: Sequence[Finished],
    peak: int,
) -> Side:
    first, second = turns
    return Side(
        name="Inkstone",
        load_s=loaded.load_s,
        prefill=spread([end.timings.prefill_tokens_per_second or 0.0 for end in prefills]),
        decode=spread([end.timings.tokens_per_second or 0.0 for end in decodes]),
        time_to_first_token_cold_s=first.timings.time_to_first_token_s,
        time_to_first_token_second_turn_s=second.timings.time_to_first_token_s,
        peak_bytes=peak,
    )


class _Bench:
    """The requests that are measured."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._terminal = EngineAtTerminal(ToldProgress() if options.events else None)
        self._options = options

    def load(self) -> Loaded | None:
        """Load the model."""
        path, settings = model_path(self._options.model), load_settings(self._options)
        loaded = None
        for event in self._terminal.run(Load(self._terminal.next_request(), path, settings)):
            if isinstance(event, Loaded):
                loaded = event
                show_notices(event.notices)
        return loaded

    def two_turns(self) -> tuple[Finished, Finished]:
        """A question with its reply, and a second question after it."""
        settings = _greedy(48)
        first = (Message(Role.USER, _QUESTION),)
        one = self._run(Generate(self._terminal.next_request(), first, settings))
        reply = Message(Role.ASSISTANT, "", ids=one.ids)
        second = (*first, reply, Message(Role.USER, _FOLLOW_UP))
        return one, self._run(Generate(self._terminal.next_request(), second, settings))

    def words_for(self, tokens: int) -> int:
        """How many words make about so many tokens, by a shorter prompt; whole rounds of them."""
        trial = len(_WORDS) * _TRIAL_ROUNDS
        each = self.prefill(0, trial).usage.prompt_tokens / _TRIAL_ROUNDS
        return len(_WORDS) * max(1, round(tokens / each))

    def prefill(self, number: int, words: int) -> Finished:
        """Read a prompt that shares nothing with another round's."""
        text = " ".join(_WORDS[i % len(_WORDS)] for i in range(words))
        return self._run(Complete(self._terminal.next_request(), f"{number} {text}", _greedy(1)))

    def decode(self, number: int, tokens: int) -> Finished:
        """Write exactly ``tokens`` tokens after a short prompt.

        Hot enough that nothing repeats: what a text repeats comes several tokens a step, and the
        figure would tell more of the text than of the machine.
        """
        sampling = Sampling(temperature=1.5, min_tokens=tokens, seed=number)
        settings = GenerateSettings(sampling, max_tokens=tokens)
        prompt = f"Story number {number}:"
        return self._run(Complete(self._terminal.next_request(), prompt, settings))

    def _run(self, command: Generate | Complete) -> Finished:
        for event in self._terminal.run(command):
            if isinstance(event, Finished):
                return event
        raise RuntimeError("a reply ended without a terminal event")


def _greedy(tokens: int) -> GenerateSettings:
    return GenerateSettings(Sampling(temperature=0), max_tokens=tokens)
