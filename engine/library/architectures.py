"""Which architectures run on the fast path, by their names in files.

Tables of data, not the families themselves: those need torch, and the list of models must be on
screen before torch is loaded. A test holds the two against each other.
"""

from __future__ import annotations

# Hugging Face's model_type
MODEL_TYPES = frozenset(
    {
        "baichuan",
        "deepseek_v2",
        "deepseek_v3",
        "gemma",
        "gemma2",
        "gemma3",
        "gemma3_text",
        "glm",
        "glm4",
        "gpt_oss",
        "granite",
        "internlm2",
        "kimi_k2",
        "llama",
        "ministral",
        "mistral",
        "mixtral",
        "olmo2",
        "olmo3",
        "phi3",
        "qwen2",
        "qwen2_moe",
        "qwen3",
        "qwen3_moe",
        "smollm3",
        "stablelm",
    }
)

# GGUF's general.architecture; "+experts" where llama.cpp has one name for two architectures
GGUF_ARCHITECTURES = frozenset(
    {
        "baichuan",
        "chatglm",
        "deepseek2",
        "gemma",
        "gemma2",
        "gemma3",
        "glm4",
        "gpt-oss",
        "granite",
        "internlm2",
        "llama",
        "llama+experts",
        "olmo2",
        "phi3",
        "qwen2",
        "qwen2moe",
        "qwen3",
        "qwen3moe",
        "smollm3",
        "stablelm",
    }
)

# GGUF files that hold a part of a model, or none
NO_MODEL_ARCHITECTURES = frozenset({"clip", "mmproj"})

# GGUF's architectures that turn texts into numbers and write nothing
ENCODERS = frozenset(
    {"bert", "nomic-bert", "nomic-bert-moe", "neo-bert", "jina-bert-v2", "jina-bert-v3"}
    | {"modern-bert", "eurobert", "gemma-embedding", "llama-embed", "t5encoder"}
)
