"""Which CUDA runtime a driver can run: a table in ``resources/runtime/cuda.json``."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from engine.contract import EngineError, FaultKind
from engine.library.runtime.driver import Driver

_TABLE = Path(__file__).resolve().parents[3] / "resources" / "runtime" / "cuda.json"


@dataclass(frozen=True, slots=True)
class Variant:
    """One build of torch for CUDA.

    Attributes:
        name: of the CUDA version, for example "cu130".
        torch: the version of torch, which the folder's name has too.
        platforms: where it runs, for example "linux-x86_64".
        driver: the oldest driver that runs it.
        capability: the least that a GPU must be capable of.
        wheels: requirements, each of them one wheel.
        download: about how many bytes that is, for who has not asked the index yet.
        unpacked: and on the disk.
    """

    name: str
    torch: str
    platforms: tuple[str, ...]
    driver: str
    capability: str
    wheels: tuple[str, ...]
    download: int = 0
    unpacked: int = 0


def read_variants(table: Path = _TABLE) -> tuple[Variant, ...]:
    """Every variant, the one that is wanted most first."""
    content = json.loads(table.read_text("utf-8"))
    return tuple(
        Variant(
            each["name"], content["torch"], tuple(each["platforms"]), each["driver"],
            each["capability"], tuple(each["wheels"]), each["download"], each["unpacked"],
        )
        for each in content["variants"]
    )  # fmt: skip


def this_platform() -> str:
    """This machine as the table names it, for example "linux-x86_64"."""
    return f"{sys.platform}-{platform.machine()}".lower()


def choose_variant(
    driver: Driver | None, variants: Sequence[Variant], place: str | None = None
) -> Variant:
    """The first variant that the driver and its GPU can run.

    Raises:
        EngineError: ``RUNTIME_NO_DRIVER``, ``RUNTIME_NO_VARIANT`` (none for this platform),
            ``RUNTIME_DRIVER_OLD``, ``RUNTIME_GPU_OLD``.
    """
    if driver is None:
        raise EngineError(FaultKind.RUNTIME_NO_DRIVER)
    place = place or this_platform()
    here = [each for each in variants if place in each.platforms]
    if not here:
        raise EngineError(FaultKind.RUNTIME_NO_VARIANT, platform=place)
    driven = [each for each in here if _number(driver.version) >= Version(each.driver)]
    if not driven:
        needed = str(min((each.driver for each in here), key=Version))
        raise EngineError(FaultKind.RUNTIME_DRIVER_OLD, driver=driver.version, least=needed)
    for each in driven:
        if not driver.capability or _number(driver.capability) >= Version(each.capability):
            return each
    least = min((each.capability for each in driven), key=Version)
    raise EngineError(
        FaultKind.RUNTIME_GPU_OLD, gpu=driver.gpu, capability=driver.capability, least=least
    )


def _number(written: str) -> Version:
    """A version as it is written; one that is none is older than every other."""
    try:
        return Version(written)
    except InvalidVersion:
        return Version("0")
