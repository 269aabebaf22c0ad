"""Which architectures run on the fast path: names in files to families of our own.

A table of data, not the families themselves: those need torch, and the library of models must be
on screen before torch is loaded. A test holds the two against each other.
"""

from __future__ import annotations

# Hugging Face's model_type -> the family that runs it
MODEL_TYPES: dict[str, str] = {
    "llama": "llama",
    "mistral": "llama",
    "ministral": "llama",
    "qwen2": "qwen2",
    "qwen3": "qwen3",
    "gemma": "gemma",
    "gemma2": "gemma2",
    "gemma3": "gemma3",
    "gemma3_text": "gemma3",
    "phi3": "phi3",
    "glm": "glm",
    "glm4": "glm4",
    "granite": "granite",
    "olmo2": "olmo2",
    "olmo3": "olmo2",
    "stablelm": "stablelm",
    "smollm3": "smollm3",
    "internlm2": "internlm2",
    "baichuan": "baichuan",
}

# GGUF's general.architecture -> the family that runs it
GGUF_ARCHITECTURES: dict[str, str] = {
    "llama": "llama",
    "qwen2": "qwen2",
    "qwen3": "qwen3",
    "gemma": "gemma",
    "gemma2": "gemma2",
    "gemma3": "gemma3",
    "phi3": "phi3",
    "chatglm": "glm",
    "glm4": "glm4",
    "granite": "granite",
    "olmo2": "olmo2",
    "stablelm": "stablelm",
    "smollm3": "smollm3",
    "internlm2": "internlm2",
    "baichuan": "baichuan",
}

# GGUF files that hold a part of a model, or none
NO_MODEL_ARCHITECTURES = frozenset({"clip", "mmproj"})
