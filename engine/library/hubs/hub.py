"""What every hub answers: a search, and what lies in one repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.library.downloads.order import WantedFile

HUGGING_FACE, MODELSCOPE = "huggingface", "modelscope"
ENDPOINTS = {HUGGING_FACE: "https://huggingface.co", MODELSCOPE: "https://modelscope.cn"}


@dataclass(frozen=True, slots=True)
class HubModel:
    """A hit of a search. Zero or empty where the hub does not say."""

    hub: str
    repository: str  # "owner/name"
    downloads: int = 0
    likes: int = 0
    is_gated: bool = False

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.repository.rpartition("/")[2]

    @property
    def publisher(self) -> str:
        """Whose it is."""
        return self.repository.partition("/")[0]


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

    def search(self, words: str, limit: int = 20) -> tuple[HubModel, ...]:
        """The text models that match, the most downloaded first.

        Raises:
            EngineError: ``NETWORK_UNREACHABLE``, ``SERVER_BUSY``, ``DOWNLOAD_REFUSED``,
                ``HUB_UNREADABLE``.
        """

    def look(self, repository: str) -> Repository:
        """What lies in a repository.

        Raises:
            EngineError: as ``search``, and ``TOKEN_NEEDED``, ``ACCESS_REFUSED``, ``FILE_GONE``.
        """
