"""A checkpoint seen through Hugging Face's names and keys, whatever its own are.

Families know one spelling. GGUF files have another, multimodal checkpoints put the language model
behind a prefix and its configuration into ``text_config``, bare ones leave a prefix out: this view
renames, and reorders or shifts a tensor on its way where a format stores it differently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.storage.checkpoint import Checkpoint
from engine.weights import Weight

Change = Callable[[Weight], Weight]

# (prefix in the file, prefix that families know), tried in this order
PREFIXES = (
    ("language_model.model.", "model."),
    ("language_model.lm_head.", "lm_head."),
    ("model.language_model.model.", "model."),
    ("model.language_model.lm_head.", "lm_head."),
    ("model.language_model.", "model."),
    ("model.text_model.", "model."),
)
LAYER = re.compile(r"(model\.layers\.\d+\.)(.+)\.(\w+)")
BARE = ("embed_tokens.", "layers.", "norm.")


class CheckpointView:
    """A checkpoint under other names; see ``Checkpoint`` for what each method promises.

    Args:
        inner: the checkpoint itself.
        metadata: its configuration in Hugging Face's keys.
        names: name that families know -> name in the file.
        changes: name that families know -> what to do with the weight as it is read.
    """

    def __init__(
        self,
        inner: Checkpoint,
        metadata: Mapping[str, Any],
        names: Mapping[str, str],
        changes: Mapping[str, Change],
    ) -> None:
        self.path: Path = inner.path
        self.format: str = inner.format
        self.metadata: Mapping[str, Any] = metadata
        self._inner = inner
        self._names = names
        self._changes = changes

    def names(self) -> Sequence[str]:
        """The names that families know."""
        return list(self._names)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape in PyTorch's order; a change keeps it."""
        return self._inner.shape(self._own(name))

    def read(self, name: str) -> Weight:
        """The weight in its canonical form, as Hugging Face's files would hold it."""
        weight = self._inner.read(self._own(name))
        return self._changes[name](weight) if name in self._changes else weight

    def nbytes(self, name: str) -> int:
        """Bytes that the weight takes in the file."""
        return self._inner.nbytes(self._own(name))

    def release(self) -> None:
        """Give mapped pages back."""
        self._inner.release()

    def release_in_use(self) -> None:
        """Give back pages of tensors that are in use."""
        self._inner.release_in_use()

    def close(self) -> None:
        """Let go of the file."""
        self._inner.close()

    def _own(self, name: str) -> str:
        return self._names.get(name, name)


def plain_view(checkpoint: Checkpoint, stems: Mapping[str, str] | None = None) -> CheckpointView:
    """A safetensors checkpoint with the language model's names and configuration on top.

    Args:
        checkpoint: as it was opened.
        stems: names of its own that a family has, after ``model.layers.N.`` or in full, without
            ``.weight`` -> the names that most families share.
    """
    names = {_known_name(_plain_name(name), stems or {}): name for name in checkpoint.names()}
    return CheckpointView(checkpoint, flat_config(checkpoint.metadata), names, {})


def flat_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of the language model: ``text_config`` over what stands beside it."""
    inner = config.get("text_config")
    if not isinstance(inner, Mapping):
        return dict(config)
    outer = {key: value for key, value in config.items() if not isinstance(value, Mapping)}
    return {**outer, **inner}


def _plain_name(name: str) -> str:
    for own, known in PREFIXES:
        if name.startswith(own):
            return known + name.removeprefix(own)
    return f"model.{name}" if name.startswith(BARE) else name


def _known_name(name: str, stems: Mapping[str, str]) -> str:
    match = LAYER.fullmatch(name)
    if match is None:
        stem, _, kind = name.rpartition(".")
        return f"{stems[stem]}.{kind}" if stem in stems else name
    layer, stem, kind = match.groups()
    return f"{layer}{stems.get(stem, stem)}.{kind}"
