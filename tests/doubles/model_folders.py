"""Model folders that the engine can load: a tiny random model with a tokenizer of bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tqdm
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

END = 256
VOCABULARY = 257


def write_tokenizer(folder: Path) -> None:
    """256 tokens of one byte each, in the byte-level alphabet, and an end of text."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({letter: id for id, letter in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(["<end>"])
    made.save(str(folder / "tokenizer.json"))
    settings = {"eos_token": "<end>", "tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def write_model(folder: Path, oracle: Any) -> Path:
    """A random model of transformers, whose vocabulary is ``VOCABULARY``, with that tokenizer."""
    tqdm.tqdm.monitor_interval = 0  # transformers writes with a progress bar, which has a thread
    oracle.save_pretrained(folder)
    write_tokenizer(folder)
    return folder
