"""From a path to the source of a smaller copy: tensors, configuration, tokenizer, a text."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.families.registry import hub_view
from engine.quantization.source import Source
from engine.storage.checkpoint import Checkpoint
from engine.storage.open import open_checkpoint
from engine.text.model_text import ModelText, open_text

TEXTS = Path(__file__).resolve().parents[1] / "resources" / "texts"
CALIBRATION = (
    "calibration_en.txt", "calibration_zh.txt", "calibration_code.txt",
    "calibration_words_en.txt", "calibration_words_zh.txt", "calibration_words_code.txt",
)  # fmt: skip
SEQUENCE = 256  # tokens that the model reads in one go
MOST_TOKENS = 16384

_TEXT_FILES = (
    "tokenizer.json", "tokenizer_config.json", "tokenizer.model", "special_tokens_map.json",
    "added_tokens.json", "vocab.json", "vocab.txt", "merges.txt", "chat_template.jinja",
    "chat_template.json", "generation_config.json", "LICENSE", "LICENSE.txt",
)  # fmt: skip


def open_source(path: Path, calibration: Path | None = None) -> Source:
    """Open a model that a smaller copy is to be made of.

    Args:
        path: a GGUF file or a model folder.
        calibration: a text file; None: the program's own texts.

    Raises:
        EngineError: what is wrong with the model or the text.
    """
    checkpoint = open_checkpoint(path)
    folder = path if path.is_dir() else path.parent
    if checkpoint.format == "gguf":
        return _from_gguf(path, checkpoint, calibration)
    values = {k: v for k, v in checkpoint.metadata.items() if k != "quantization_config"}
    return Source(
        path=path,
        checkpoint=checkpoint,
        values=values,
        config=_known_config(values),
        ids=_ids(path, checkpoint.metadata, calibration),
        write_text=lambda into: _copy_text(folder, into),
        stamp=_stamp(path),
        calibration=calibration,
    )


def _from_gguf(path: Path, checkpoint: Checkpoint, calibration: Path | None) -> Source:
    view = hub_view(checkpoint)
    kind = str(checkpoint.metadata.get("general.architecture", ""))
    if view is None:
        raise EngineError(FaultKind.ARCHITECTURE_UNKNOWN, path=str(path), architecture=kind)
    if _has_factors(view.metadata):
        raise EngineError(
            FaultKind.FORMAT_UNSUPPORTED, path=str(path), format=f"GGUF {kind} as safetensors"
        )
    from transformers import AutoConfig  # noqa: PLC0415 - seconds
    from transformers.models.auto.modeling_auto import (  # noqa: PLC0415
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    )

    try:
        config = AutoConfig.from_pretrained(path.parent, gguf_file=path.name)
    except (ValueError, OSError, KeyError, AttributeError) as error:
        raise EngineError(
            FaultKind.FORMAT_UNSUPPORTED, path=str(path), format=f"GGUF: {error}"
        ) from error
    config.architectures = [MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(config.model_type)]
    config.dtype = "bfloat16"
    config.tie_word_embeddings = "lm_head.weight" not in view.names()
    return Source(
        path=path,
        checkpoint=view,
        values=config.to_dict(),
        config=config,
        ids=_ids(path, checkpoint.metadata, calibration),
        write_text=lambda into: _write_gguf_text(path, into),
        stamp=_stamp(path),
        calibration=calibration,
    )


def _has_factors(config: Mapping[str, Any]) -> bool:
    """Rotary factors as a table: no configuration of Hugging Face's can say them."""
    scaling = config.get("rope_scaling")
    return isinstance(scaling, Mapping) and scaling.get("rope_type") == "factors"


def _known_config(values: Mapping[str, Any]) -> Any:
    """The configuration in transformers' class; None where it does not know the architecture."""
    from transformers import AutoConfig  # noqa: PLC0415 - seconds
    from transformers.models.auto.modeling_auto import (  # noqa: PLC0415
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    )

    kind = str(values.get("model_type", ""))
    if kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return None
    return AutoConfig.for_model(kind, **{k: v for k, v in values.items() if k != "model_type"})


def _ids(path: Path, metadata: Mapping[str, Any], calibration: Path | None) -> Tensor:
    """int64 [sequences, tokens] of the text, in the model's own tokens."""
    text = open_text(path, metadata)
    files = [calibration] if calibration else [TEXTS / name for name in CALIBRATION]
    rows: list[list[list[int]]] = []
    for file in files:
        try:
            words = file.read_text("utf-8", errors="replace")
        except OSError as error:
            reason = error.strerror or str(error)
            raise EngineError(FaultKind.FILE_UNREADABLE, path=str(file), reason=reason) from error
        rows.append(pieces(text, words, SEQUENCE))
    in_turn = [row for some in zip_longest(*rows, fillvalue=[]) for row in some]
    whole = [row for row in in_turn if len(row) == SEQUENCE][: MOST_TOKENS // SEQUENCE]
    if not whole:
        longest = max(in_turn, key=len, default=[])
        if not longest:
            raise EngineError(FaultKind.TEXT_EMPTY, path=str(files[0]))
        whole = [longest]
    return torch.tensor(whole)


def pieces(text: ModelText, words: str, tokens: int, *, again: int = 0) -> list[list[int]]:
    """A text cut up, each piece with the token that the model wants before any text.

    Without it some models, Gemma for one, compute what they never do in use.

    Args:
        text: of the model.
        words: to cut up.
        tokens: of a piece; the last may be shorter.
        again: tokens at a piece's end that the next one has once more.
    """
    ids = text.raw(words)
    first = ids[:1] if ids and ids[0] == text.tokenizer.frame.bos else []
    rest, step = ids[len(first) :], tokens - len(first)
    return [
        [*first, *rest[at : at + step]] for at in range(0, max(0, len(rest) - again), step - again)
    ]


def _stamp(path: Path) -> str:
    files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
    return " ".join(f"{f.stat().st_size}:{f.stat().st_mtime_ns}" for f in files)


def _copy_text(folder: Path, into: Path) -> None:
    for name in _TEXT_FILES:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, into / name)


def _write_gguf_text(path: Path, into: Path) -> None:
    from transformers import AutoTokenizer  # noqa: PLC0415 - seconds

    write: Callable[[Path], Any] = AutoTokenizer.from_pretrained(
        path.parent, gguf_file=path.name
    ).save_pretrained
    write(into)
