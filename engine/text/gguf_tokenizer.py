"""A tokenizer from GGUF metadata (``tokenizer.ggml.*``), without any other file.

The keys are those of the GGUF specification; what they mean is fixed by llama.cpp, whose
``tokenizer.ggml.model`` names are: ``gpt2`` (byte-level BPE with merges, split by a named regular
expression), ``llama`` (SentencePiece BPE with scores), ``gemma4`` (the same with merges), ``t5``
(Unigram). ``bert`` (WordPiece) and ``rwkv`` are not language models that one talks with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, models, normalizers, pre_tokenizers

from engine.contract import EngineError, FaultKind
from engine.text.gguf_splits import SPLITS, Split
from engine.text.hub_encoder import HubEncoder
from engine.text.scored_vocabulary import ScoredVocabulary, TokenType, control_tokens
from engine.text.token_bytes import BYTE_LEVEL, SPACE, SpellingRule, sentencepiece_rule
from engine.text.tokenizer import Encoder, Frame, Tokenizer


def tokenizer_from_gguf(path: Path, metadata: Mapping[str, Any]) -> Tokenizer:
    """Build the tokenizer that a GGUF file describes.

    Raises:
        EngineError: TOKENIZER_MISSING without a vocabulary, TOKENIZER_INVALID for one of a kind
            that is not known or whose parts contradict each other.
    """
    if not metadata.get("tokenizer.ggml.tokens"):
        raise EngineError(FaultKind.TOKENIZER_MISSING, path=str(path))
    vocabulary = _Vocabulary(path, metadata)
    encoder, rule = vocabulary.encoder()
    tokens = vocabulary.tokens
    return Tokenizer(
        size=len(tokens),
        control=vocabulary.control,
        rule=rule,
        frame=vocabulary.frame(),
        _encoder=encoder,
        _string=lambda id: tokens[id] if 0 <= id < len(tokens) else None,
        _id=vocabulary.id_of,
    )


class _Vocabulary:
    """The metadata's vocabulary, sorted into what encodes and what controls."""

    def __init__(self, path: Path, metadata: Mapping[str, Any]) -> None:
        self._path = path
        self._metadata = metadata
        self.tokens: list[str] = self._texts("tokens")
        self._types: Sequence[int] = self._array("token_type", TokenType.NORMAL)
        named = {self._id(f"{name}_token_id") for name in ("bos", "eos", "eot", "eom")}
        self.control = control_tokens(
            self.tokens, self._types, named - {None}, strips_right=self._strips_right()
        )
        self._by_text = {text: id for id, text in enumerate(self.tokens)}

    def id_of(self, text: str) -> int | None:
        """The id of a token's string."""
        return self._by_text.get(text)

    def encoder(self) -> tuple[Encoder, SpellingRule]:
        """The encoder, and the rule by which its tokens spell bytes."""
        match self._get("model"):
            case "gpt2":
                return HubEncoder(self._byte_level()), BYTE_LEVEL
            case "gemma4":
                return HubEncoder(self._merged_pieces()), sentencepiece_rule(strip_start=False)
            case "llama":
                scored = self._scored()
                return scored.bpe(), sentencepiece_rule(strip_start=scored.space_first)
            case "t5":
                scored = self._scored()
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

    def _byte_level(self) -> tokenizers.Tokenizer:
        """Byte-level BPE with the file's merges and the split that its ``pre`` names."""
        split = self._split()
        backend = tokenizers.Tokenizer(self._model(ignore_merges=split.whole_words))
        cuts = [
            pre_tokenizers.Split(tokenizers.Regex(pattern), behavior="isolated")
            for pattern in split.patterns
        ]
        bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        backend.pre_tokenizer = pre_tokenizers.Sequence([*cuts, bytes_])
        self._add_literals(backend)
        return backend

    def _merged_pieces(self) -> tokenizers.Tokenizer:
        """SentencePiece's pieces with merges in place of scores, cut at lines (Gemma 4)."""
        backend = tokenizers.Tokenizer(self._model(byte_fallback=True, fuse_unk=True))
        backend.normalizer = normalizers.Replace(" ", SPACE)
        lines = tokenizers.Regex(r"[^\n]+|\n+")
        backend.pre_tokenizer = pre_tokenizers.Split(lines, behavior="isolated")
        self._add_literals(backend)
        return backend

    def _model(self, **options: bool) -> models.BPE:
        """The BPE model, without control tokens as far as the merges do not name them."""
        merges = [_merge(line) for line in self._texts("merges")]
        hidden = (TokenType.CONTROL, TokenType.UNKNOWN)
        pieces = {
            text: id
            for id, text in enumerate(self.tokens)
            if self._types[id] not in hidden and id not in self.control
        }
        try:
            return models.BPE(vocab=pieces, merges=merges, **options)
        except Exception:  # noqa: BLE001  the library raises no other type
            return self._whole_model(merges, options)

    def _whole_model(
        self, merges: list[tuple[str, str]], options: Mapping[str, bool]
    ) -> models.BPE:
        """The BPE model with every token: some files mark ordinary tokens as control."""
        try:
            return models.BPE(vocab=self._by_text, merges=merges, **options)
        except Exception as error:  # the library raises no other type
            raise self._invalid(str(error)) from error

    def _scored(self) -> ScoredVocabulary:
        """The pieces with their scores, for SentencePiece's two models."""
        return ScoredVocabulary(
            self.tokens,
            self._array("scores", 0.0),
            self._types,
            self.control,
            bool(self._get("add_space_prefix", True)),
            bytes(self._get("precompiled_charsmap", b"")),
        )

    def _add_literals(self, backend: tokenizers.Tokenizer) -> None:
        """User-defined tokens are taken whole wherever they stand in a text."""
        backend.add_tokens(
            [
                AddedToken(self.tokens[id], normalized=False)
                for id, kind in enumerate(self._types)
                if kind == TokenType.USER_DEFINED and id not in self.control and self.tokens[id]
            ]
        )

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

    def _texts(self, name: str) -> list[str]:
        """An array of strings; empty where there is none."""
        values = self._get(name, ())
        if not isinstance(values, Sequence) or not all(isinstance(v, str) for v in values):
            raise self._invalid(f"{name} are not a list of strings")
        return list(values)

    def _id(self, name: str) -> int | None:
        """A token id among the metadata; None where it is absent or out of range."""
        value = self._get(name)
        return value if isinstance(value, int) and 0 <= value < len(self.tokens) else None

    def _get(self, name: str, default: Any = None) -> Any:
        return self._metadata.get(f"tokenizer.ggml.{name}", default)

    def _invalid(self, detail: str) -> EngineError:
        return EngineError(FaultKind.TOKENIZER_INVALID, path=str(self._path), detail=detail)


def _merge(line: str) -> tuple[str, str]:
    left, _, right = line.partition(" ")
    return left, right
