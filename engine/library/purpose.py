"""Whether a folder's model writes replies, or does something else with texts.

What sorts, compares or hears texts is often built on the same architecture as what writes: only the
class that the checkpoint was saved as, and the files beside it, tell the two apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

# sentence-transformers' own files, as its documentation has them
_OF_EMBEDDINGS = ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json")
# transformers' endings of classes without a head that writes
_HEADLESS = (
    "Classification", "QuestionAnswering", "ForMaskedLM", "ForPreTraining", "ForMultipleChoice",
    "ForNextSentencePrediction", "RewardModel", "ForCTC",
)  # fmt: skip
_SPEECH = frozenset({"whisper", "moonshine", "speech_to_text", "speecht5"})
_BARE = "Model"  # BertModel, Qwen2Model: the body alone
_WRITES = ("LMHeadModel", "GenerationModel", "ChatGLMModel")


def writes_replies(folder: Path, config: Mapping[str, Any]) -> bool:
    """Whether the model of this folder and configuration writes texts; in doubt it does."""
    if any((folder / name).is_file() for name in _OF_EMBEDDINGS):
        return False
    kind = config.get("model_type")
    if isinstance(kind, str) and kind in _SPEECH:
        return False
    saved = config.get("architectures")
    classes = [name for name in saved if isinstance(name, str)] if isinstance(saved, list) else []
    return not classes or not all(_is_headless(name) for name in classes)


def _is_headless(name: str) -> bool:
    return name.endswith(_HEADLESS) or (name.endswith(_BARE) and not name.endswith(_WRITES))
