"""The figures as lines to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.bench.figures import Measured, Side, Spread
from engine.cli_sizes import bytes_text


def report(measured: Measured) -> str:
    """The figures of a measurement; one column for each engine."""
    m = measured
    threads = "1 thread" if m.threads == 1 else f"{m.threads} threads"
    lines = [f"{m.model} on {m.device}, {threads}{_beside(m.busy)}"]
    sides = (m.ours, *m.peers)
    if len(sides) > 1:
        lines.append(_row("", [side.name for side in sides], "ratio"))
    lines += [_row(name, [text(side) for side in sides], _ratio(m, name)) for name, text in ROWS]
    return "\n".join([*lines, *_memory(m)])


def _beside(busy: int) -> str:
    return f", {busy} busy {'process' if busy == 1 else 'processes'} beside" if busy else ""


def _rate(rate: Spread) -> str:
    return f"{rate.median:.1f} ({rate.least:.1f} to {rate.most:.1f})"


ROWS: tuple[tuple[str, Callable[[Side], str]], ...] = (
    ("load, s", lambda side: f"{side.load_s:.2f}"),
    ("prefill, tokens/s", lambda side: _rate(side.prefill)),
    ("decode, tokens/s", lambda side: _rate(side.decode)),
    ("first token, s", lambda side: f"{side.time_to_first_token_cold_s:.3f}"),
    ("second turn, s", lambda side: f"{side.time_to_first_token_second_turn_s:.3f}"),
    ("peak memory", lambda side: bytes_text(side.peak_bytes) if side.peak_bytes else "unknown"),
)


def _row(name: str, cells: list[str], ratio: str) -> str:
    return (
        f"{name:20}"
        + "".join(f"{cell:32}" for cell in cells).rstrip().ljust(32 * len(cells)).rstrip()
        + (f"  {ratio}" if ratio else "")
    )


def _ratio(m: Measured, name: str) -> str:
    if m.ratios is None:
        return ""
    if name.startswith("prefill"):
        return f"{m.ratios.prefill.median:.2f}"
    return f"{m.ratios.decode.median:.2f}" if name.startswith("decode") else ""


def _memory(m: Measured) -> Iterator[str]:
    yield (
        f"read {m.prefill_tokens} tokens, wrote {m.decode_tokens}; the second turn reused "
        f"{m.second_turn_reused_tokens} of {m.second_turn_prompt_tokens} tokens"
    )
    yield (
        f"weights {bytes_text(m.weight_bytes)}, cache {bytes_text(m.cache_bytes)}, "
        f"file {bytes_text(m.file_bytes)}"
    )
    yield (
        f"memory reads {m.read_bytes_per_second / 1e9:.1f} GB/s; decode reads "
        f"{bytes_text(m.decode_bytes_per_token)} a token: "
        f"{100 * m.decode_share_of_bandwidth:.0f} % of it{_beyond(m)}"
    )


def _beyond(m: Measured) -> str:
    """Why a share is above what memory gives, where it is."""
    if m.decode_share_of_bandwidth <= 1:
        return ""
    return (
        " (no reply outruns memory: part of so small a model stays in the processor's cache, or "
        "memory was slower while it was measured alone; more --rounds tell)"
    )
