"""Which architectures run on the fast path: names in files to families of our own.

A table of data, not the families themselves: those need torch, and the library of models must be
on screen before torch is loaded. A test holds the two against each other.
"""

from __future__ import annotations

# GGUF's general.architecture and Hugging Face's model_type -> the family that runs it
FAMILY_OF: dict[str, str] = {
    "llama": "llama",
    "mistral": "llama",
    "qwen2": "qwen2",
    "gemma3": "gemma3",
    "gemma3_text": "gemma3",
}

# GGUF files that hold a part of a model, or none
NO_MODEL_ARCHITECTURES = frozenset({"clip", "mmproj"})


def family_of(architecture: str, experts: int = 0) -> str | None:
    """The family that runs this architecture, or None.

    GGUF calls Mixtral "llama" too, with experts; the plain family has none.
    """
    family = FAMILY_OF.get(architecture)
    return None if family == "llama" and experts else family
