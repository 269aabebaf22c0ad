"""The settings: one dataclass with defaults, one JSON file, written as a whole or not at all.

A file from a newer program keeps the values that this one does not know; a value of the wrong type
or outside its range is its default; a file that is no JSON is set aside under its own name and
reported.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from app.store.catalogue import CATALOGUE
from app.store.faults import StoreFault, StoreFaultKind, reason_of
from app.store.set_aside import set_aside
from app.store.worker import Worker


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a person can set; every field has a default that works."""

    language: str = ""  # "en", "zh_CN", "zh_TW"; empty follows the system
    offline: bool = False  # nothing but this computer is asked, whatever is pressed
    contrast: str = ""  # "high"; empty follows the system
    accent: str = ""  # "azurite", "ochre"; empty is malachite
    theme: str = ""  # "light", "dark"; empty follows the system
    text_scale: float = 1.0
    density: str = ""  # "compact"; empty is comfortable
    interface_font: str = ""  # a typeface's name; empty is the usual one
    reading_font: str = ""  # of the chats; empty is the interface's
    code_font: str = ""
    line_height: float = 1.0
    reading_width: int = 720  # px at 100 %
    reduce_motion: bool = False
    window: str = ""  # the window's place and size, as Qt saves it, base64
    sidebar_width: int = 264  # px at 100 %
    sidebar_folded: bool = False
    inspector_open: bool = False
    inspector_width: int = 636  # px
    opened_groups: tuple[str, ...] = ()  # folders and the like that are open in the list of chats
    last_chat: int = 0
    last_model: str = ""  # path
    loading: str = ""  # path of a model whose load has not ended: the program did, before it
    load_last_model: bool = True
    start_at_login: bool = False
    tray_icon: bool = False
    quick_ask: bool = False
    quick_keys: str = ""
    offer_cuda: bool = True
    model_folders: tuple[str, ...] = ()  # beside the models folder of our own
    sources_off: tuple[str, ...] = ()  # other programs whose models are not looked for
    keep_loaded_minutes: int = 0  # of rest, after which a model's memory is freed; 0: never
    device: str = ""  # "cpu", "cuda", "mps"; empty: GPUs if any
    gpu_layers: int = -1  # -1: as many as fit
    context: int = 0  # tokens; 0 leaves it to the engine
    threads: int = 0  # 0 leaves it to the engine
    cache_bits: int = 16
    thinking: str = "auto"
    model_titles: bool = True  # the model names chats, when nothing else is asked of it
    copies_kept: int = 3  # daily copies of the chats
    hub_endpoint: str = ""  # a mirror of Hugging Face; empty is its own server
    download_limit: int = 0  # kB a second of all downloads together; 0 is none
    server_port: int = 8420  # 0: a free one
    server_reach: str = ""  # "network", "address"; empty: this computer alone
    server_address: str = ""  # of "address"
    server_hosts: tuple[str, ...] = ()  # further names of this computer
    server_asks_key: bool = True
    server_origins: tuple[str, ...] = ()  # web pages that may call
    server_queue: int = 48  # requests that may run or wait
    server_reply_cache: int = 0  # replies; 0 is off
    safety_profile: str = "off"  # "family", "organisation": what the engine reads in this very file
    safety_classifier: str = ""  # a folder; empty is none
    safety_audit_days: int = 365  # 0 keeps the log for ever
    system_prompt: str = ""  # for chats that have none of their own
    presets: tuple[str, ...] = ()  # own ones: a name, and on the next line its values as JSON
    templates: tuple[str, ...] = ()  # prompts used again: the first line is the name


class SettingsFile:
    """The settings and the file they lie in.

    Args:
        path: the JSON file; it may not exist yet.
        worker: the thread that writes.
    """

    def __init__(self, path: Path, worker: Worker) -> None:
        self._path = path
        self._worker = worker
        self.fault: StoreFault | None = None
        self._stored = self._read()
        self._listeners: list[Callable[[frozenset[str]], None]] = []
        self.settings = _settings_of(self._stored)

    def listen(self, told: Callable[[frozenset[str]], None]) -> None:
        """Tell of every change, whoever makes it, by the names of what is another value now."""
        self._listeners.append(told)

    def change(self, **values: Any) -> None:
        """Change some settings by name, save them all, and tell who listens.

        Raises:
            TypeError: there is no such setting.
            ValueError: a value is not allowed; nothing is changed.
        """
        for name, value in values.items():
            if name in CATALOGUE and not CATALOGUE[name].allows(value):
                raise ValueError(f"{name} cannot be {value!r}")
        changed = replace(self.settings, **values)
        if changed == self.settings:
            return
        before, self.settings = self.settings, changed
        self._stored = self._stored | asdict(changed)
        text = json.dumps(self._stored, ensure_ascii=False, indent=2)
        data = text.encode("utf-8", errors="surrogatepass")  # a path may be no valid text
        self._worker.post(lambda: self._save(data))
        names = frozenset(
            name for name in values if getattr(before, name) != getattr(changed, name)
        )
        for told in self._listeners:
            told(names)

    def _read(self) -> dict[str, Any]:
        try:
            value = json.loads(self._path.read_bytes().decode("utf-8", errors="surrogatepass"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            figures = {"path": str(self._path), "reason": reason_of(error)}
            self.fault = StoreFault(StoreFaultKind.UNREACHABLE, figures)
            return {}
        except ValueError:
            value = None
        if isinstance(value, dict):
            return value
        aside = set_aside(self._path)
        figures = {"path": str(self._path), "aside": str(aside)}
        self.fault = StoreFault(StoreFaultKind.SETTINGS_SET_ASIDE, figures)
        return {}

    def _save(self, data: bytes) -> None:
        try:
            write_atomically(self._path, data)
        except OSError as error:
            figures = {"path": str(self._path), "reason": reason_of(error)}
            self.fault = StoreFault(StoreFaultKind.UNREACHABLE, figures)
        else:
            self.fault = None


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file's content so that a kill or a power cut leaves the old or the new one.

    Raises:
        OSError: the old content is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _settings_of(stored: Mapping[str, Any]) -> Settings:
    known: dict[str, Any] = {}
    for field in fields(Settings):
        value: Any = stored.get(field.name)
        if isinstance(value, list):
            value = tuple(value)
        if isinstance(field.default, float) and type(value) is int:
            value = float(value)
        if field.name in CATALOGUE:
            known[field.name] = CATALOGUE[field.name].read(value)
        elif type(value) is type(field.default) and _holds_texts(value):
            known[field.name] = value
    return Settings(**known)


def _holds_texts(value: object) -> bool:
    return not isinstance(value, tuple) or all(isinstance(item, str) for item in value)
