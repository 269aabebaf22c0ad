"""Of all files of a repository the few that one model needs.

One quantization of many, the parts of a split file together, safetensors and never pickles, never
code, nothing that other runtimes use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from engine.contract import EngineError, FaultKind
from engine.library.downloads.order import Order, WantedFile
from engine.library.held import SAFETENSORS
from engine.library.hubs.hub import Repository

_PART = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$)", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:^|[-._/])((?:UD-)?(?:I?Q\d\w*|TQ\d\w*|MXFP4\w*|BF16|F16|FP16|F32|FP32))$", re.IGNORECASE
)
_BESIDE = re.compile(r"mmproj|imatrix|-lora|adapter|vocab-only", re.IGNORECASE)
_TEXTS = {
    "config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
    "tokenizer.model", "special_tokens_map.json", "added_tokens.json", "vocab.json", "merges.txt",
    "chat_template.jinja", "chat_template.json", "model.safetensors.index.json",
    "quantize_config.json", "preprocessor_config.json",
}  # fmt: skip
# the order in which a person is well served: small and hardly worse first
_LIKED = ("Q4_K_M", "Q4_K_S", "Q4_0", "Q4_1", "IQ4_NL", "IQ4_XS", "Q5_K_M", "Q6_K", "Q8_0")


@dataclass(frozen=True, slots=True)
class FileChoice:
    """One way to have the model.

    Attributes:
        label: "Q4_K_M", "safetensors"; what tells it from the other ways.
        files: what it takes.
        is_recommended: the one to take where nothing speaks for another.
    """

    label: str
    files: tuple[WantedFile, ...]
    is_recommended: bool = False

    @property
    def size(self) -> int:
        """Bytes of all its files; 0 where the hub does not say."""
        return sum(file.size for file in self.files)


def choices_in(repository: Repository) -> tuple[FileChoice, ...]:
    """Every way to have the model, the smallest first, exactly one recommended.

    Raises:
        EngineError: ``PICKLE_REFUSED`` where there are only pickles, ``NOTHING_TO_LOAD``.
    """
    found = [*_ggufs(repository.files), *_folders(repository.files)]
    if not found:
        name = repository.model.repository
        pickles = (".bin", ".pt", ".pth", ".ckpt")
        if any(file.path.endswith(pickles) for file in repository.files):
            raise EngineError(FaultKind.PICKLE_REFUSED, path=name)
        raise EngineError(FaultKind.NOTHING_TO_LOAD, name=name)
    liked = min(found, key=lambda choice: (_liking(choice), choice.size))
    ordered = sorted(found, key=lambda choice: (choice.size, choice.label))
    return tuple(FileChoice(c.label, c.files, c is liked) for c in ordered)


def order_for(repository: Repository, choice: FileChoice) -> Order:
    """The download of one choice, into ``publisher/name`` of the model folder."""
    model = repository.model
    name = f"{model.name} · {choice.label}" if choice.label not in model.name else model.name
    key = f"{model.hub}:{model.repository}:{choice.label}"
    return Order(key, name, model.repository, choice.files, model.hub, repository.page)


def _ggufs(files: tuple[WantedFile, ...]) -> list[FileChoice]:
    groups: dict[str, list[WantedFile]] = {}
    for file in files:
        if file.path.lower().endswith(".gguf") and not _BESIDE.search(file.path):
            groups.setdefault(_PART.sub("", file.path), []).append(file)
    choices = []
    for path, parts in groups.items():
        parts.sort(key=lambda file: file.path)
        if _is_complete(parts):
            choices.append(FileChoice(_label(path, groups), tuple(parts)))
    return choices


def _is_complete(parts: list[WantedFile]) -> bool:
    """Whether every part of a split file is there."""
    split = _PART.search(parts[0].path)
    return len(parts) == (int(split[2]) if split else 1)


def _label(path: str, others: dict[str, list[WantedFile]]) -> str:
    stem = PurePosixPath(path).stem
    found = _LABEL.search(stem)
    if found is None:
        return stem
    label = found[1].upper()
    same = [o for o in others if o != path and PurePosixPath(o).stem.upper().endswith(label)]
    return stem if same else label  # two models in one repository


def _folders(files: tuple[WantedFile, ...]) -> list[FileChoice]:
    """The safetensors at the top of the repository with the texts that belong to them."""
    top = [file for file in files if "/" not in file.path]
    weights = [f for f in top if f.path.endswith(".safetensors") and not _BESIDE.search(f.path)]
    whole = [f for f in weights if not f.path.startswith("consolidated")]
    if not whole or not any(file.path == "config.json" for file in top):
        return []
    texts = [file for file in top if file.path in _TEXTS]
    return [FileChoice(SAFETENSORS, (*texts, *sorted(whole, key=lambda file: file.path)))]


def _liking(choice: FileChoice) -> int:
    label = choice.label.upper()
    for place, liked in enumerate(_LIKED):
        if label.endswith(liked):
            return place
    return len(_LIKED) + (choice.label != SAFETENSORS)
