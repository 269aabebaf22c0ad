"""What a model is, without loading it: milliseconds, no torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.contract import ModelFacts
from engine.library.folder_facts import folder_facts
from engine.library.gguf_facts import gguf_facts
from engine.library.ollama import model_of
from engine.library.servers.card import card_facts, is_card
from engine.storage.model_folder import GGUF, format_of


def identify(path: Path) -> ModelFacts:
    """Read the facts of a GGUF file, a safetensors folder or one of its files, or a remote card.

    Weights in Ollama's store are called what Ollama calls them.

    Raises:
        EngineError: whatever is wrong with the files, by name; ``support`` says whether a sound
            model can be run.
    """
    if is_card(path):
        return card_facts(path)
    if format_of(path) != GGUF:
        return folder_facts(path)
    facts, stored = gguf_facts(path), model_of(path)
    if stored is None:
        return facts
    return replace(facts, name=stored.name, license=facts.license or stored.license)
