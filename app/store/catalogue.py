"""Every setting that a person can change, declared once (``engine/contract/setting.py``).

The settings page, the file, the tests and the search are made from it. A new setting is a row
here, a field of ``Settings`` with the same default, and its words in every language:
``setting-KEY``, ``setting-KEY-about``, and ``choice-KEY-VALUE`` for each choice, with dashes in
place of underscores.
"""

from __future__ import annotations

from engine.contract.ranges import LOADING, SERVING
from engine.contract.setting import Applies, Scope, Setting, by_key

QUICK_KEYS = ("ctrl-alt-space", "ctrl-shift-space", "super-space", "ctrl-alt-i", "super-i")
"""Keys of the whole desktop that the window itself does not use."""

SECTIONS = {
    "general": "gear-six",
    "appearance": "palette",
    "chat": "chat-text",
    "open-chat": "sliders-horizontal",
    "history": "clock-counter-clockwise",
    "models": "stack",
    "memory": "gauge",
    "server": "broadcast",
    "privacy": "shield-check",
    "safety": "shield-warning",
    "keyboard": "keyboard",
    "about": "info",
}
"""The sections of the page in their order, each with its icon."""

_APPEARANCE = (
    Setting("theme", "", "appearance", choices=("", "light", "dark")),
    Setting("contrast", "", "appearance", choices=("", "high")),
    Setting("accent", "", "appearance", choices=("", "azurite", "ochre")),
    Setting("density", "", "appearance", choices=("", "compact")),
    Setting("text_scale", 1.0, "appearance", low=0.8, high=1.6, step=0.05, unit="percent"),
    Setting("interface_font", "", "appearance", fonts="any"),
    Setting("reading_font", "", "appearance", fonts="any"),
    Setting("code_font", "", "appearance", fonts="fixed"),
    Setting("line_height", 1.0, "appearance", low=0.8, high=1.6, step=0.05, unit="percent"),
    Setting("reading_width", 720, "appearance", low=480, high=1200, step=20, unit="pixels"),
    Setting("reduce_motion", False, "appearance"),
)

_SAFETY = (
    Setting(
        "safety_profile",
        "off",
        "safety",
        applies=Applies.NEXT_REPLY,
        choices=("off", "family", "organisation"),
    ),
    Setting("safety_classifier", "", "safety", applies=Applies.NEXT_REPLY),
    Setting("safety_audit_days", 365, "safety", low=1, high=3650, off=0, unit="days"),
)

_ADDRESS = r"(https?://)?([\w.-]+|\[[0-9a-fA-F:]+\])(:\d+)?(/\S*)?"  # with or without its scheme

PROGRAM: tuple[Setting, ...] = (
    Setting("language", "", "general", choices=("", "en", "zh_CN", "zh_TW")),
    Setting("load_last_model", True, "general", applies=Applies.NEXT_START),
    Setting("start_at_login", False, "general"),
    Setting("tray_icon", False, "general"),
    Setting("quick_ask", False, "general"),
    Setting("quick_keys", "", "general", choices=("", *QUICK_KEYS)),
    *_APPEARANCE,
    Setting("system_prompt", "", "chat", Scope.CHAT, Applies.NEXT_REPLY, is_long=True),
    Setting("model_titles", True, "history"),
    Setting("copies_kept", 3, "history", low=1, high=30, unit="copies"),
    Setting(
        "keep_loaded_minutes", 0, "models", Scope.MODEL, low=1, high=1440, off=0, unit="minutes"
    ),
    Setting("hub_endpoint", "", "models", pattern=_ADDRESS),
    Setting("download_limit", 0, "models", low=10, high=1_000_000, step=100, off=0, unit="speed"),
    *LOADING,
    Setting("offer_cuda", True, "memory"),
    *SERVING,
    Setting("offline", False, "privacy"),
    *_SAFETY,
)
"""What holds for the whole program, and for every model and chat without a value of its own."""

PER_MODEL = tuple(each for each in PROGRAM if each.scope is Scope.MODEL)
"""What a model can have a value of its own for."""

CATALOGUE = by_key(PROGRAM)
