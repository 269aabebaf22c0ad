"""A small model beside the rules: an interface, and a transformers folder behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

_WANTED = frozenset({"safe", "neutral", "ok", "none", "normal", "non-toxic", "not_toxic", "benign"})
_LONGEST = 4_000  # characters that it reads, the last ones of a text


class Classifier(Protocol):
    """Says whether a text is unwanted."""

    def unwanted(self, text: str) -> str:
        """The label under which a text is unwanted; empty if it is not."""
        ...


class FolderClassifier:
    """A text-classification model of transformers, from a local folder.

    Args:
        folder: configuration, tokenizer and safetensors weights.
        least: how sure it has to be.

    Raises:
        OSError, ValueError: it cannot be loaded.
    """

    def __init__(self, folder: Path, least: float) -> None:
        from transformers import (  # noqa: PLC0415 (seconds)
            AutoModelForSequenceClassification,
            AutoTokenizer,
        )

        if not folder.is_dir():
            raise FileNotFoundError(f"there is no folder {folder}")
        only: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, **only)
        self._model: Any = AutoModelForSequenceClassification.from_pretrained(
            folder, use_safetensors=True, **only
        ).eval()
        self._least = least

    def unwanted(self, text: str) -> str:
        """The likeliest label, unless it says that nothing is wrong or is not sure enough."""
        import torch  # noqa: PLC0415

        inputs = self._tokenizer(text[-_LONGEST:], return_tensors="pt", truncation=True)
        with torch.inference_mode():
            odds = self._model(**inputs).logits[0].float().softmax(-1)
        best = int(odds.argmax())
        label = str(self._model.config.id2label[best])
        is_unwanted = float(odds[best]) >= self._least and label.lower() not in _WANTED
        return label if is_unwanted else ""
