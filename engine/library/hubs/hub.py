"""What every hub answers: a search, and what lies in one repository."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Protocol

from engine.library.downloads.order import WantedFile
from engine.library.held import held_size

HUGGING_FACE, MODELSCOPE = "huggingface", "modelscope"
ENDPOINTS = {HUGGING_FACE: "https://huggingface.co", MODELSCOPE: "https://modelscope.cn"}


_SIZE = re.compile(r"(?<![A-Za-z\d.])(\d+(?:\.\d+)?)([BM])(?![A-Za-z\d])", re.IGNORECASE)
USUAL_LABEL, _BYTES_A_PARAMETER = "Q4_K_M", 0.62  # of a usual GGUF file
_OF_ALL_SIZES = 5


class SortBy(StrEnum):
    """What comes first."""

    DOWNLOADS = "downloads"
    LIKES = "likes"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class HubQuery:
    """What is asked of a hub.

    Attributes:
        words: of the name; "" looks through all that is ready to run.
        sort: what comes first.
        most_parameters: models that are known to be larger are left out; 0: none.
        limit: hits.
    """

    words: str = ""
    sort: SortBy = SortBy.DOWNLOADS
    most_parameters: int = 0
    limit: int = 20

    @property
    def asked(self) -> int:
        """Hits to ask for: more of them where some will be left out."""
        return self.limit * (_OF_ALL_SIZES if self.most_parameters else 1)

    def of(self, found: Iterable[HubModel]) -> tuple[HubModel, ...]:
        """Those of the hits that are small enough, or of unknown size."""
        most = self.most_parameters
        fitting = (model for model in found if not most or model.parameters <= most)
        return tuple(islice(fitting, self.limit))


def parameters_in(name: str) -> int:
    """The parameters that a name tells ("Qwen3-4B", "gemma-3-270m"); 0 where it tells none."""
    found = _SIZE.search(name)
    scale = 10**9 if found and found[2].upper() == "B" else 10**6
    return round(float(found[1]) * scale) if found else 0


def most_parameters_in(free: int) -> int:
    """The parameters of a model whose weights fit so many free bytes in 4 bits."""
    million = 10**6
    return int(free * million / (_BYTES_A_PARAMETER * held_size(million, USUAL_LABEL)))


@dataclass(frozen=True, slots=True)
class HubModel:
    """A hit of a search. Zero or empty where the hub does not say."""

    hub: str
    repository: str  # "owner/name"
    downloads: int = 0
    likes: int = 0
    is_gated: bool = False
    parameters: int = 0  # by the hub, else by its name

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.repository.rpartition("/")[2]

    @property
    def publisher(self) -> str:
        """Whose it is."""
        return self.repository.partition("/")[0]

    @property
    def usual_size(self) -> int:
        """Bytes of a file of 4 bits, about; 0 where the parameters are not known."""
        return int(self.parameters * _BYTES_A_PARAMETER)


@dataclass(frozen=True, slots=True)
class Repository:
    """What lies in a repository at one revision.

    Attributes:
        page: its page for a browser, where terms are accepted.
        files: every file, with addresses that do not change while it is fetched.
    """

    model: HubModel
    revision: str
    page: str
    files: tuple[WantedFile, ...]
    license: str = ""
    languages: tuple[str, ...] = ()
    context: int = 0  # tokens


class Hub(Protocol):
    """A place with models."""

    name: str

    def search(self, query: HubQuery) -> tuple[HubModel, ...]:
        """The text models that match, in the order that is asked for.

        Raises:
            EngineError: ``NETWORK_UNREACHABLE``, ``SERVER_BUSY``, ``DOWNLOAD_REFUSED``,
                ``HUB_UNREADABLE``.
        """

    def look(self, repository: str) -> Repository:
        """What lies in a repository.

        Raises:
            EngineError: as ``search``, and ``TOKEN_NEEDED``, ``ACCESS_REFUSED``, ``FILE_GONE``.
        """
