"""``engine.library`` as the window's source of models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.ui.model_shelf import ModelSources
from engine.library.folders import models_folder
from engine.library.identify import identify
from engine.library.scan import scan
from engine.library.starter import STARTER, fetch_starter


def library_sources() -> ModelSources:
    """Return ``engine.library`` as the window's source of models."""
    return ModelSources(models_folder(), scan, identify, _fetch_starter, STARTER.download_size)


def _fetch_starter(
    progress: Callable[[int, int], None], cancelled: Callable[[], bool]
) -> Path | None:
    """Fetch the starter model, and count its download alone, which is what the page promises.

    Taking the larger file out of it is a second's work.
    """

    def of_download(done: int, total: int) -> None:
        if total != STARTER.size:
            progress(done, total)

    return fetch_starter(of_download, cancelled)
