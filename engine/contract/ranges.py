"""The settings of the engine: how a model is loaded and served, how its next token is drawn.

The keys of ``SAMPLING`` are the fields of ``Sampling``, with the same defaults.
"""

from __future__ import annotations

from typing import Any

from engine.contract.commands import SamplingOrder
from engine.contract.setting import Applies, Scope, Setting, Value


def _loading(key: str, default: Value, **more: Any) -> Setting:
    return Setting(key, default, "memory", Scope.MODEL, Applies.NEXT_LOAD, **more)


def _sampling(key: str, default: Value, **more: Any) -> Setting:
    return Setting(key, default, "sampling", Scope.CHAT, Applies.NEXT_REPLY, **more)


LOADING: tuple[Setting, ...] = (
    _loading("device", "", choices=("", "cpu", "cuda", "mps")),
    _loading("gpu_layers", -1, low=0, high=1000, off=-1, unit="layers"),
    _loading("context", 0, low=256, high=1_048_576, step=1024, off=0, unit="tokens"),
    _loading("cache_bits", 16, choices=(16, 8)),
    _loading("threads", 0, low=1, high=256, off=0, unit="threads"),
)
"""How a model is loaded; "off" leaves the choice to the engine."""

SAMPLING: tuple[Setting, ...] = (
    _sampling("temperature", 0.8, low=0, high=5, step=0.05),
    _sampling("top_k", 40, low=0, high=100_000, off=0, unit="tokens"),
    _sampling("top_p", 0.95, low=0, high=1, step=0.01, off=1),
    _sampling("min_p", 0.0, low=0, high=1, step=0.01, off=0),
    _sampling("typical_p", 1.0, low=0, high=1, step=0.01, off=1),
    _sampling("top_n_sigma", 0.0, low=0, high=10, step=0.1, off=0),
    _sampling("xtc_probability", 0.0, low=0, high=1, step=0.05, off=0),
    _sampling("xtc_threshold", 0.1, low=0, high=1, step=0.01),
    _sampling("repetition_penalty", 1.0, low=0.01, high=10, step=0.01, off=1),
    _sampling("penalty_window", 64, low=-1, high=1_048_576, off=-1, unit="tokens"),
    _sampling("frequency_penalty", 0.0, low=-2, high=2, step=0.05, off=0),
    _sampling("presence_penalty", 0.0, low=-2, high=2, step=0.05, off=0),
    _sampling("dry_multiplier", 0.0, low=0, high=10, step=0.05, off=0),
    _sampling("dry_base", 1.75, low=1, high=4, step=0.05),
    _sampling("dry_allowed_length", 2, low=1, high=64, unit="tokens"),
    _sampling("mirostat_tau", 0.0, low=0, high=20, step=0.1, off=0),
    _sampling("mirostat_eta", 0.1, low=0, high=1, step=0.01),
    _sampling("min_tokens", 0, low=0, high=100_000, off=0, unit="tokens"),
    _sampling(
        "order",
        SamplingOrder.TEMPERATURE_LAST.value,
        choices=tuple(order.value for order in SamplingOrder),
    ),
    _sampling("seed", -1, low=0, high=2**31 - 1, off=-1),
)
"""How the next token is drawn, in the order of the chain; "off" takes a step out of it."""

REPLY: tuple[Setting, ...] = (
    _sampling("max_tokens", 0, low=1, high=1_048_576, step=64, off=0, unit="tokens"),
    _sampling("stop", ()),
)
"""Where a reply ends, besides where the model ends it."""

_HOST = r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*"
_IP = r"(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*"

ORIGIN = r"[a-z][a-z0-9+.-]*://(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?"
"""As the standard writes one: no path, no slash at its end, no capital letters. Compared as it is,
so any other would never match."""


def _serving(key: str, default: Value, **more: Any) -> Setting:
    return Setting(key, default, "server", Scope.PROGRAM, Applies.SERVER_START, **more)


SERVING: tuple[Setting, ...] = (
    _serving("server_port", 8420, low=1, high=65535, off=0, unit="port"),
    _serving("server_reach", "", choices=("", "network", "address")),
    _serving("server_address", "", pattern=_IP),
    _serving("server_hosts", (), pattern=_HOST),
    _serving("server_asks_key", True),
    _serving("server_origins", (), pattern=ORIGIN),
    _serving("server_queue", 48, low=1, high=60, unit="requests"),
    _serving("server_reply_cache", 0, low=1, high=100_000, step=50, off=0, unit="replies"),
)
"""How this computer's model is served to other programs."""
