"""Which protection holds now; made anew when one of its files changes. Loads nothing by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.safety.settings import (
    Profile,
    SafetySettings,
    policy_path,
    read_settings,
    settings_path,
)

if TYPE_CHECKING:
    from engine.safety.protection import Protection

BUNDLED = Path(__file__).resolve().parents[2] / "resources" / "safety"
ENDINGS = (".yaml", ".yml")

Stamp = tuple[str, int, int]


class ProtectionSource:
    """What holds now; when nothing is checked, two looks at files are all that it costs."""

    def __init__(self) -> None:
        self._stamps: tuple[Stamp, ...] | None = None
        self._rule_stamps: tuple[Stamp, ...] = ()
        self._settings = SafetySettings()
        self._protection: Protection | None = None

    def __call__(self) -> Protection | None:
        """The protection; None where the profile is off."""
        stamps = stamps_of(_deciding())
        if stamps != self._stamps:
            settings = read_settings()
            if settings != self._settings or self._stamps is None:
                self._settings, self._protection = settings, None
            self._stamps = stamps
        if self._settings.profile is Profile.OFF:
            return None
        rule_stamps = stamps_of(rule_files(self._settings))
        if self._protection is None or rule_stamps != self._rule_stamps:
            from engine.safety.protection import build  # noqa: PLC0415 (RE2, YAML: only if on)

            self._protection, self._rule_stamps = build(self._settings), rule_stamps
        return self._protection


def current_stamps() -> tuple[Stamp, ...]:
    """What changes whenever other rules hold."""
    return stamps_of((*_deciding(), *rule_files(read_settings())))


def _deciding() -> tuple[Path, Path]:
    return policy_path(), settings_path()


def rule_files(settings: SafetySettings) -> Iterator[Path]:
    """Every rule file that may hold, the bundled ones first."""
    for folder in (BUNDLED, *settings.rules):
        yield from rule_paths(folder)


def stamps_of(paths: Iterable[Path]) -> tuple[Stamp, ...]:
    """Path, time and size of each; two of them differ when a file was changed."""
    found: list[Stamp] = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            found.append((str(path), 0, -1))
        else:
            found.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(found)


def rule_paths(folder: Path) -> Iterator[Path]:
    """The rule files of a folder, by name; none where there is no folder."""
    if folder.is_dir():
        yield from sorted(p for p in folder.iterdir() if p.suffix in ENDINGS and p.is_file())
