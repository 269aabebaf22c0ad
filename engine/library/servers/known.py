"""Servers that are known by name: where they listen, and what they take beyond OpenAI's fields.

Ports, paths and fields are those of the programs' own documentation. A server that is not known is
asked in OpenAI's words alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ServerKind(StrEnum):
    """Which program, or which company's, answers."""

    OTHER = "other"
    INKSTONE = "inkstone"
    OLLAMA = "ollama"
    LM_STUDIO = "lm-studio"
    VLLM = "vllm"
    SGLANG = "sglang"
    LLAMA_CPP = "llama.cpp"
    TEXTGEN = "text-generation-webui"
    TGI = "tgi"
    LMDEPLOY = "lmdeploy"
    TENSORRT_LLM = "tensorrt-llm"
    TRITON = "triton"
    FASTLLM = "fastllm"
    TRANSFORMERS = "transformers"
    OPENAI = "openai"
    OPENROUTER = "openrouter"
    DEEPSEEK = "deepseek"
    DASHSCOPE = "dashscope"
    MOONSHOT = "moonshot"
    ZHIPU = "zhipu"
    SILICONFLOW = "siliconflow"
    MISTRAL = "mistral"
    GROQ = "groq"
    GEMINI = "gemini"
    XAI = "xai"


@dataclass(frozen=True, slots=True)
class Known:
    """A server that people use.

    Attributes:
        kind: which.
        name: as it calls itself.
        address: where it listens unless told otherwise.
        needs_key: whether it never answers without one.
    """

    kind: ServerKind
    name: str
    address: str
    needs_key: bool = False


KNOWN = (
    Known(ServerKind.OLLAMA, "Ollama", "http://localhost:11434/v1"),
    Known(ServerKind.LM_STUDIO, "LM Studio", "http://localhost:1234/v1"),
    Known(ServerKind.VLLM, "vLLM", "http://localhost:8000/v1"),
    Known(ServerKind.LLAMA_CPP, "llama.cpp", "http://localhost:8080/v1"),
    Known(ServerKind.TEXTGEN, "text-generation-webui", "http://localhost:5000/v1"),
    Known(ServerKind.TGI, "Text Generation Inference", "http://localhost:3000/v1"),
    Known(ServerKind.SGLANG, "SGLang", "http://localhost:30000/v1"),
    Known(ServerKind.LMDEPLOY, "LMDeploy", "http://localhost:23333/v1"),
    Known(ServerKind.TENSORRT_LLM, "TensorRT-LLM", "http://localhost:8000/v1"),
    Known(ServerKind.TRITON, "Triton", "http://localhost:9000/v1"),
    Known(ServerKind.FASTLLM, "FastLLM", "http://localhost:8080/v1"),
    Known(ServerKind.INKSTONE, "Inkstone", "http://localhost:8420/v1", needs_key=True),
    Known(ServerKind.OPENAI, "OpenAI", "https://api.openai.com/v1", needs_key=True),
    Known(ServerKind.OPENROUTER, "OpenRouter", "https://openrouter.ai/api/v1", needs_key=True),
    Known(ServerKind.DEEPSEEK, "DeepSeek", "https://api.deepseek.com/v1", needs_key=True),
    Known(
        ServerKind.DASHSCOPE,
        "Alibaba Cloud Model Studio",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        needs_key=True,
    ),
    Known(ServerKind.MOONSHOT, "Moonshot", "https://api.moonshot.cn/v1", needs_key=True),
    Known(ServerKind.ZHIPU, "Zhipu", "https://open.bigmodel.cn/api/paas/v4", needs_key=True),
    Known(ServerKind.SILICONFLOW, "SiliconFlow", "https://api.siliconflow.cn/v1", needs_key=True),
    Known(ServerKind.MISTRAL, "Mistral", "https://api.mistral.ai/v1", needs_key=True),
    Known(ServerKind.GROQ, "Groq", "https://api.groq.com/openai/v1", needs_key=True),
    Known(
        ServerKind.GEMINI,
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        needs_key=True,
    ),
    Known(ServerKind.XAI, "xAI", "https://api.x.ai/v1", needs_key=True),
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes.

    Attributes:
        sampling: names of ``Sampling``'s fields, each with the server's own name of it.
        length: its name for the most tokens of a reply.
        usage: whether figures of a stream are asked for by ``stream_options``.
        template: whether ``chat_template_kwargs`` reach the chat template.
        continues: whether a conversation that ends with the assistant's words is continued: by
            these fields, or by itself where there are none; None where it is not.
        grammars: its fields for a regular expression and for a grammar; empty where it has none.
    """

    sampling: Mapping[str, str]
    length: str = "max_tokens"
    usage: bool = True
    template: bool = False
    continues: Mapping[str, object] | None = None
    grammars: Mapping[str, str] = field(default_factory=dict)


_PLAIN = {"temperature": "temperature", "top_p": "top_p", "seed": "seed"}
_PENALTIES = {"frequency_penalty": "frequency_penalty", "presence_penalty": "presence_penalty"}
_OPENAI = _PLAIN | _PENALTIES
_VLLM = _OPENAI | {
    "top_k": "top_k",
    "min_p": "min_p",
    "repetition_penalty": "repetition_penalty",
    "min_tokens": "min_tokens",
}
_LLAMA_CPP = _OPENAI | {
    "top_k": "top_k",
    "min_p": "min_p",
    "typical_p": "typical_p",
    "top_n_sigma": "top_n_sigma",
    "xtc_probability": "xtc_probability",
    "xtc_threshold": "xtc_threshold",
    "repetition_penalty": "repeat_penalty",
    "penalty_window": "repeat_last_n",
    "dry_multiplier": "dry_multiplier",
    "dry_base": "dry_base",
    "dry_allowed_length": "dry_allowed_length",
}
_TEXTGEN = _OPENAI | {
    "top_k": "top_k",
    "min_p": "min_p",
    "typical_p": "typical_p",
    "repetition_penalty": "repetition_penalty",
    "xtc_probability": "xtc_probability",
    "xtc_threshold": "xtc_threshold",
    "dry_multiplier": "dry_multiplier",
    "dry_base": "dry_base",
    "dry_allowed_length": "dry_allowed_length",
}
_GOES_ON = {"continue_final_message": True, "add_generation_prompt": False}

_PLAIN_DIALECT = Dialect(_OPENAI)
_DIALECTS: Mapping[ServerKind, Dialect] = {
    ServerKind.INKSTONE: Dialect(
        _OPENAI | {name: name for name in ("top_k", "min_p", "typical_p", "repetition_penalty")},
        template=True,
    ),
    ServerKind.OLLAMA: Dialect(_OPENAI, continues={}),
    ServerKind.LM_STUDIO: Dialect(
        _OPENAI | {"top_k": "top_k", "repetition_penalty": "repeat_penalty"}
    ),
    ServerKind.VLLM: Dialect(
        _VLLM, template=True, continues=_GOES_ON, grammars={"regex": "guided_regex"}
    ),
    ServerKind.SGLANG: Dialect(
        _VLLM,
        template=True,
        continues={"continue_final_message": True},
        grammars={"regex": "regex"},
    ),
    ServerKind.LLAMA_CPP: Dialect(_LLAMA_CPP, template=True, continues={}),
    ServerKind.TEXTGEN: Dialect(_TEXTGEN, continues={"continue_": True}),
    ServerKind.LMDEPLOY: Dialect(
        _OPENAI | {"top_k": "top_k", "min_p": "min_p", "repetition_penalty": "repetition_penalty"},
        template=True,
    ),
    ServerKind.TENSORRT_LLM: Dialect(
        _OPENAI | {"top_k": "top_k", "min_p": "min_p", "repetition_penalty": "repetition_penalty"},
        template=True,
    ),
    ServerKind.TRANSFORMERS: Dialect(_PLAIN | {"frequency_penalty": "frequency_penalty"}),
    ServerKind.OPENAI: Dialect(_OPENAI, length="max_completion_tokens"),
    ServerKind.GEMINI: Dialect({"temperature": "temperature", "top_p": "top_p"}),
    ServerKind.MISTRAL: Dialect(
        {"temperature": "temperature", "top_p": "top_p", "seed": "random_seed", **_PENALTIES},
        usage=False,
        continues={},
    ),
}


def dialect_of(kind: ServerKind) -> Dialect:
    """What a kind of server takes; OpenAI's own fields where that is not known."""
    return _DIALECTS.get(kind, _PLAIN_DIALECT)
