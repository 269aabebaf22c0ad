"""What a model is, without loading it: milliseconds, no torch."""

from __future__ import annotations

from pathlib import Path

from engine.contract import ModelFacts
from engine.library.folder_facts import folder_facts
from engine.library.gguf_facts import gguf_facts
from engine.storage.model_folder import GGUF, format_of


def identify(path: Path) -> ModelFacts:
    """Read the facts of a GGUF file, a safetensors folder or one of its files.

    Raises:
        EngineError: whatever is wrong with the files, by name; ``support`` says whether a sound
            model can be run.
    """
    return gguf_facts(path) if format_of(path) == GGUF else folder_facts(path)
