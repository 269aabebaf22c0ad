"""``engine.library`` as the window's source of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from app.ui.model_shelf import ModelSources
from engine.library.downloads.pace import RateLimit
from engine.library.facts_cache import FactsCache
from engine.library.folders import facts_cache_path, models_folder
from engine.library.identify import identify
from engine.library.scan import Found, scan
from engine.library.sources import Source, other_sources
from engine.library.starter import STARTER, fetch_starter
from engine.library.twins import mark_twins


def library_sources() -> ModelSources:
    """Return ``engine.library`` as the window's source of models."""
    known = FactsCache(facts_cache_path(), identify)

    def look(sources: Sequence[Source]) -> list[Found]:
        found = mark_twins(scan(sources, known.identify))
        known.save()
        return found

    return ModelSources(
        models_folder(), look, identify, _fetch_starter, STARTER.download_size, other_sources
    )


def _fetch_starter(
    progress: Callable[[int, int], None], cancelled: Callable[[], bool], limit: RateLimit
) -> Path | None:
    """Fetch the starter model, and count its download alone, which is what the page promises.

    Taking the larger file out of it is a second's work.
    """

    def of_download(done: int, total: int) -> None:
        if total != STARTER.size:
            progress(done, total)

    return fetch_starter(of_download, cancelled, limit)
