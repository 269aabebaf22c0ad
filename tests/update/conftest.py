from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.library.file_server import Site, serve
from tests.update.publisher import Publisher


@pytest.fixture
def publisher(tmp_path: Path) -> Iterator[Publisher]:
    with serve(Site()) as site:
        yield Publisher(tmp_path / "publisher", site)
