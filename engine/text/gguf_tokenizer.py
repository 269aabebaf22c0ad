"""A tokenizer from GGUF metadata (``tokenizer.ggml.*``), without any other file.

The keys are those of the GGUF specification; what they mean is fixed by llama.cpp, whose
``tokenizer.ggml.model`` names are: ``gpt2`` (byte-level BPE with merges, split by a named regular
expression), ``llama`` (SentencePiece BPE with scores), ``gemma4`` (the same with merges), ``t5``
(Unigram). ``bert`` (WordPiece) and ``rwkv`` are not language models that one talks with.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, pre_tokenizers

from engine.contract import EngineError, FaultKind
from engine.text.byte_level_encoder import ByteLevelEncoder
from engine.text.gguf_splits import SPLITS, Split
from engine.text.scored_vocabulary import ScoredVocabulary, TokenType, control_tokens
from engine.text.text_index import TextIndex
from engine.text.token_bytes import BYTE_LEVEL, SpellingRule, sentencepiece_rule
from engine.text.tokenizer import Encoder, Frame, Tokenizer


def tokenizer_from_gguf(path: Path, metadata: Mapping[str, Any]) -> Tokenizer:
    """Build the tokenizer that a GGUF file describes.

    Raises:
        EngineError: TOKENIZER_MISSING without a vocabulary, TOKENIZER_INVALID for one of a kind
            that is not known or whose parts contradict each other.
    """
    vocabulary = _Vocabulary(path, metadata)
    if not vocabulary.tokens:
        raise EngineError(FaultKind.TOKENIZER_MISSING, path=str(path))
    encoder, rule = vocabulary.encoder()
    tokens = vocabulary.tokens
    return Tokenizer(
        size=len(tokens),
        control=vocabulary.control,
        rule=rule,
        frame=vocabulary.frame(),
        _encoder=encoder,
        _string=lambda id: tokens[id] if 0 <= id < len(tokens) else None,
        _id=vocabulary.ids.get,
    )


class _Vocabulary:
    """The metadata's vocabulary, sorted into what encodes and what controls."""

    def __init__(self, path: Path, metadata: Mapping[str, Any]) -> None:
        self._path = path
        self._metadata = metadata
        self.tokens = self._texts("tokens")
        self._types: Sequence[int] = self._array("token_type", TokenType.NORMAL)
        named = {self._id(f"{name}_token_id") for name in ("bos", "eos", "eot", "eom")}
        self.control = control_tokens(
            self.tokens, self._types, named - {None}, strips_right=self._strips_right()
        )
        self.ids = TextIndex(self.tokens)

    def encoder(self) -> tuple[Encoder, SpellingRule]:
        """The encoder, and the rule by which its tokens spell bytes."""
        match self._get("model"):
            case "gpt2":
                return self._byte_level(), BYTE_LEVEL
            case "gemma4":
                pieces = self._scored(space_first=False).bpe(self._texts("merges"))
                return pieces, sentencepiece_rule(strip_start=False)
            case "llama":
                scored = self._scored(space_first=self._space_first())
                return scored.bpe(), sentencepiece_rule(strip_start=scored.space_first)
            case "t5":
                scored = self._scored(space_first=self._space_first())
                return scored.unigram(), sentencepiece_rule(strip_start=scored.space_first)
            case kind:
                raise self._invalid(f"tokenizer.ggml.model {kind}")

    def frame(self) -> Frame:
        """BOS and EOS, as the file says, or as llama.cpp takes them where it does not."""
        kind = self._get("model")
        by_default = self._split().adds_bos if kind == "gpt2" else kind in {"llama", "gemma4"}
        bos, eos = self._id("bos_token_id"), self._id("eos_token_id")
        adds_bos = bool(self._get("add_bos_token", by_default)) and bos is not None
        # only an encoder's input is closed; a decoder would take its prompt for finished
        adds_eos = kind == "t5" and bool(self._get("add_eos_token", True))
        return Frame(bos, adds_bos, (eos,) if adds_eos and eos is not None else ())

    def _split(self) -> Split:
        name = str(self._get("pre", "default"))
        split = SPLITS.get(name)
        if split is None:
            raise self._invalid(f"tokenizer.ggml.pre {name}")
        return split

    def _byte_level(self) -> ByteLevelEncoder:
        """Byte-level BPE with the file's merges and the split that its ``pre`` names."""
        split = self._split()
        cuts = [
            pre_tokenizers.Split(tokenizers.Regex(pattern), behavior="isolated")
            for pattern in split.patterns
        ]
        words = (id for id in range(len(self.tokens)) if id not in self.control)
        return ByteLevelEncoder(
            self.ids,
            TextIndex(self.tokens, words if split.whole_words else ()),
            TextIndex(self._texts("merges")),
            pre_tokenizers.Sequence(cuts),
            [
                (AddedToken(self.tokens[id], normalized=False), id)
                for id, kind in enumerate(self._types)
                if kind == TokenType.USER_DEFINED and id not in self.control and self.tokens[id]
            ],
        )

    def _scored(self, *, space_first: bool) -> ScoredVocabulary:
        """The pieces with their scores, for SentencePiece's two models."""
        return ScoredVocabulary(
            self.tokens,
            self.ids,
            array("f", self._array("scores", 0.0)),
            self._types,
            self.control,
            space_first,
            bytes(self._get("precompiled_charsmap", b"")),
        )

    def _space_first(self) -> bool:
        return bool(self._get("add_space_prefix", True))

    def _strips_right(self) -> bool:
        """Phi-3's control tokens take white space after them along; the file does not say so."""
        architecture = self._metadata.get("general.architecture")
        return architecture == "phi3" and self._get("model") == "llama"

    def _array(self, name: str, default: float) -> Sequence[Any]:
        """A value for each token."""
        values: Sequence[Any] | None = self._get(name)
        if values is None:
            return [default] * len(self.tokens)
        if not isinstance(values, Sequence) or len(values) < len(self.tokens):
            raise self._invalid(f"{name} do not fit {len(self.tokens)} tokens")
        return values[: len(self.tokens)]

    def _texts(self, name: str) -> Sequence[str]:
        """An array of strings, in whatever form the file gives them; empty where there is none."""
        values = self._get(name, ())
        are_many = isinstance(values, Sequence) and not isinstance(values, str)
        # what is no list is the file's own, holds nothing else and would decode each
        mixed = isinstance(values, list) and not all(isinstance(one, str) for one in values)
        if not are_many or mixed:
            raise self._invalid(f"{name} are not a list of strings")
        found: Sequence[str] = values
        return found

    def _id(self, name: str) -> int | None:
        """A token id among the metadata; None where it is absent or out of range."""
        value = self._get(name)
        return value if isinstance(value, int) and 0 <= value < len(self.tokens) else None

    def _get(self, name: str, default: Any = None) -> Any:
        return self._metadata.get(f"tokenizer.ggml.{name}", default)

    def _invalid(self, detail: str) -> EngineError:
        return EngineError(FaultKind.TOKENIZER_INVALID, path=str(self._path), detail=detail)
