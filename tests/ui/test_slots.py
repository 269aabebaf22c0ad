"""No slot is overridden: PySide goes on calling such a one after its object is gone."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

from PySide6.QtCore import QObject

import app.chat
import app.ui


def classes() -> Iterator[type[QObject]]:
    """Our classes of the window's packages that Qt knows."""
    for package in (app.ui, app.chat):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            for member in vars(importlib.import_module(found.name)).values():
                if inspect.isclass(member) and issubclass(member, QObject):
                    yield member


def is_slot(owner: type, name: str) -> bool:
    return hasattr(vars(owner).get(name), "_slots")


def test_no_slot_is_overridden() -> None:
    seen = {each for each in classes() if each.__module__.startswith("app.")}
    assert len(seen) > 200  # the window's classes were found
    overridden = {
        f"{owner.__module__}.{owner.__name__}.{name}"
        for owner in seen
        for name in vars(owner)
        for base in owner.__mro__[1:]
        if is_slot(base, name)
    }
    assert not overridden
