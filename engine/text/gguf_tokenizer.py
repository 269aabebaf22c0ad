"""A tokenizer from GGUF metadata (``tokenizer.ggml.*``), without any other file.

The keys are those of the GGUF specification; what they mean is fixed by llama.cpp, whose
``tokenizer.ggml.model`` names are: ``gpt2`` (byte-level BPE with merges, split by a named regular
expression), ``llama`` (SentencePiece BPE with scores), ``t5`` (Unigram), ``bert`` (WordPiece).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, models, normalizers, pre_tokenizers

from engine.contract import EngineError, FaultKind
from engine.text.control_tokens import ControlToken, ControlTokens, is_marker
from engine.text.gguf_splits import split_patterns
from engine.text.hub_encoder import HubEncoder
from engine.text.sentencepiece_encoder import SentencePieceEncoder
from engine.text.token_bytes import BYTE_LEVEL, SPACE, SpellingRule, sentencepiece_rule
from engine.text.tokenizer import Encoder, Frame, Tokenizer

# the pieces that read a word whole where the vocabulary has it, before any merge
_WHOLE_WORDS = frozenset(
    {"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"}
    | {"jina-v5-nano", "tekken", "gpt-4o-ignore-merges"}
)


class TokenType(IntEnum):
    """``tokenizer.ggml.token_type`` (the GGUF specification's numbers)."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


def tokenizer_from_gguf(path: Path, metadata: Mapping[str, Any]) -> Tokenizer:
    """Build the tokenizer that a GGUF file describes.

    Raises:
        EngineError: TOKENIZER_MISSING without a vocabulary, TOKENIZER_INVALID for one of a kind
            that is not known or whose parts contradict each other.
    """
    if "tokenizer.ggml.tokens" not in metadata:
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
        self.tokens: list[str] = list(metadata["tokenizer.ggml.tokens"])
        self._types: Sequence[int] = self._array("token_type", TokenType.NORMAL)
        self.control = ControlTokens(
            ControlToken(id, self.tokens[id]) for id in self._control_ids()
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
            case "llama" | "gemma4":
                space = bool(self._get("add_space_prefix", True))
                return self._sentencepiece(space), sentencepiece_rule(strip_start=space)
            case "t5":
                space = bool(self._get("add_space_prefix", True))
                return HubEncoder(self._unigram()), sentencepiece_rule(strip_start=space)
            case kind:
                raise self._invalid(f"tokenizer.ggml.model {kind}")

    def frame(self) -> Frame:
        """BOS and EOS, as the file says, or as llama.cpp takes them where it does not."""
        kind, split = self._get("model"), self._get("pre", "")
        by_default = kind == "llama" or (kind == "gpt2" and split in _WHOLE_WORDS - {"tekken"})
        bos = self._id("bos_token_id")
        eos = self._id("eos_token_id")
        adds_eos = bool(self._get("add_eos_token", kind == "t5")) and eos is not None
        adds_bos = bool(self._get("add_bos_token", by_default)) and bos is not None
        return Frame(bos, adds_bos, (eos,) if adds_eos and eos is not None else ())

    def _byte_level(self) -> tokenizers.Tokenizer:
        """Byte-level BPE with the file's merges and the split that its ``pre`` names."""
        split = str(self._get("pre", "default"))
        hidden = (TokenType.CONTROL, TokenType.UNKNOWN)
        pieces = {
            text: id
            for id, text in enumerate(self.tokens)
            if self._types[id] not in hidden and id not in self.control
        }
        merges = [self._merge(line) for line in self._get("merges", ())]
        model = self._model(pieces, merges, split in _WHOLE_WORDS)
        backend = tokenizers.Tokenizer(model)
        steps = [
            pre_tokenizers.Split(tokenizers.Regex(pattern), behavior="isolated")
            for pattern in split_patterns(split)
        ]
        last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        backend.pre_tokenizer = pre_tokenizers.Sequence([*steps, last])
        self._add_literals(backend)
        return backend

    def _model(
        self, pieces: dict[str, int], merges: list[tuple[str, str]], whole_words: bool
    ) -> models.BPE:
        """The BPE model; where merges need tokens that are marked as control, with all tokens."""
        try:
            return models.BPE(vocab=pieces, merges=merges, ignore_merges=whole_words)
        except Exception as error:  # the library raises no other type
            if len(pieces) == len(self._by_text):
                raise self._invalid(str(error)) from error
        try:
            return models.BPE(vocab=self._by_text, merges=merges, ignore_merges=whole_words)
        except Exception as error:  # the library raises no other type
            raise self._invalid(str(error)) from error

    def _sentencepiece(self, space_first: bool) -> SentencePieceEncoder:
        """SentencePiece BPE over the file's scores."""
        pieces: dict[str, int] = {}
        literals: dict[str, int] = {}
        for id, text in enumerate(self.tokens):
            if self._types[id] == TokenType.NORMAL:
                pieces[text] = id
            elif self._types[id] == TokenType.USER_DEFINED and id not in self.control:
                literals[text.replace(SPACE, " ")] = id
        spelled = [self._by_text.get(f"<0x{byte:02X}>") for byte in range(256)]
        bytes_ = [id for id in spelled if id is not None]
        return SentencePieceEncoder(
            pieces,
            self._array("scores", 0.0),
            bytes_ if len(bytes_) == 256 else (),
            self._id("unknown_token_id"),
            {text: id for text, id in literals.items() if text},
            space_first=space_first,
        )

    def _unigram(self) -> tokenizers.Tokenizer:
        """Unigram; control pieces get a score that no path through text would take."""
        scores = self._array("scores", 0.0)
        worst = min(scores, default=0.0) - 1000.0
        pieces = [
            (text, worst if id in self.control else scores[id])
            for id, text in enumerate(self.tokens)
        ]
        unknown = self._id("unknown_token_id")
        backend = tokenizers.Tokenizer(models.Unigram(pieces, unk_id=unknown))
        charsmap = self._get("precompiled_charsmap")
        if charsmap is not None:
            backend.normalizer = normalizers.Precompiled(bytes(charsmap))
        scheme = "always" if self._get("add_space_prefix", True) else "never"
        backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
        self._add_literals(backend)
        return backend

    def _add_literals(self, backend: tokenizers.Tokenizer) -> None:
        """User-defined tokens are taken whole wherever they stand in a text."""
        backend.add_tokens(
            [
                AddedToken(self.tokens[id], normalized=False)
                for id, kind in enumerate(self._types)
                if kind == TokenType.USER_DEFINED and id not in self.control and self.tokens[id]
            ]
        )

    def _control_ids(self) -> list[int]:
        """Ids of control tokens, and of added ones that are marks of a conversation's form."""
        named = {self._id(f"{name}_token_id") for name in ("bos", "eos", "eot", "eom")}
        return [
            id
            for id, kind in enumerate(self._types)
            if kind == TokenType.CONTROL
            or id in named
            or (kind == TokenType.USER_DEFINED and is_marker(self.tokens[id]))
        ]

    def _merge(self, line: str) -> tuple[str, str]:
        left, _, right = line.partition(" ")
        return left, right

    def _array(self, name: str, default: float) -> Sequence[Any]:
        """A value for each token."""
        values: Sequence[Any] | None = self._get(name)
        if values is None:
            return [default] * len(self.tokens)
        if len(values) != len(self.tokens):
            raise self._invalid(f"{len(values)} {name} for {len(self.tokens)} tokens")
        return values

    def _id(self, name: str) -> int | None:
        """A token id among the metadata; None where it is absent or out of range."""
        value = self._get(name)
        return int(value) if value is not None and 0 <= int(value) < len(self.tokens) else None

    def _get(self, name: str, default: Any = None) -> Any:
        return self._metadata.get(f"tokenizer.ggml.{name}", default)

    def _invalid(self, detail: str) -> EngineError:
        return EngineError(FaultKind.TOKENIZER_INVALID, path=str(self._path), detail=detail)
