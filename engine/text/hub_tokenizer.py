"""A tokenizer from a hub folder's files: ``tokenizer.json``, or what older folders have instead."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, models

from engine.contract import EngineError, FaultKind
from engine.text.added_tokens import added_control, declared_tokens, listed_tokens
from engine.text.hub_bpe import bpe_encoder
from engine.text.hub_encoder import HubEncoder
from engine.text.sentencepiece_file import read_sentencepiece
from engine.text.sentencepiece_tokenizer import sentencepiece_tokenizer
from engine.text.token_bytes import SpellingRule, rule_of_decoder
from engine.text.tokenizer import Encoder, Frame, Tokenizer
from engine.text.tokenizer_json import TokenizerJson, read_gpt2_files, read_tokenizer_json
from engine.text.unigram import hide_control


def hub_tokenizer(folder: Path, settings: Mapping[str, Any], names: Mapping[str, str]) -> Tokenizer:
    """The tokenizer of a folder.

    Args:
        folder: where the files are.
        settings: the content of ``tokenizer_config.json``.
        names: special tokens by name.

    Raises:
        EngineError: TOKENIZER_MISSING, TOKENIZER_INVALID, FILE_UNREADABLE.
    """
    if (file := folder / "tokenizer.json").is_file():
        return _Parts(file, read_tokenizer_json(file), settings, names).tokenizer()
    if (file := folder / "tokenizer.model").is_file():
        return sentencepiece_tokenizer(read_sentencepiece(file), settings, names)
    if (file := folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        return _Parts(file, read_gpt2_files(folder), settings, names).tokenizer()
    if ranks := next(iter(sorted(folder.glob("*.tiktoken"))), None):
        # its splitting rule stands in Python code beside it, which is not run
        raise EngineError(
            FaultKind.TOKENIZER_INVALID, path=str(ranks), detail="a tiktoken file alone"
        )
    raise EngineError(FaultKind.TOKENIZER_MISSING, path=str(folder))


class _Parts:
    """A ``tokenizer.json`` taken apart.

    Args:
        path: the file, named in faults.
        file: its content.
        settings: the content of ``tokenizer_config.json``.
        names: special tokens by name.
    """

    def __init__(
        self,
        path: Path,
        file: TokenizerJson,
        settings: Mapping[str, Any],
        names: Mapping[str, str],
    ) -> None:
        self._path = path
        self._file = file
        self._settings = settings
        self._names = names
        # everything but the vocabulary: how text is cut, framed and decoded
        self._shell = self._library(
            file.spec | {"added_tokens": [], "model": {"type": "BPE", "vocab": {}, "merges": []}}
        )
        listed = listed_tokens(file.spec)
        self._added: dict[int, AddedToken] = dict(declared_tokens(settings)) | dict(listed)
        self._ids = self._vocabulary() | {token.content: id for id, token in self._added.items()}
        self._control = added_control(self._added, self._ids, names)

    def tokenizer(self) -> Tokenizer:
        """The parts put together.

        Raises:
            EngineError: TOKENIZER_INVALID.
        """
        texts = {id: text for text, id in self._ids.items()}
        return Tokenizer(
            size=max(texts, default=-1) + 1,
            control=self._control,
            rule=self._rule(),
            frame=self._frame(),
            _encoder=self._encoder(),
            _string=texts.get,
            _id=self._ids.get,
        )

    def _encoder(self) -> Encoder:
        literals = [(token, id) for id, token in self._added.items() if id not in self._control]
        encoder = bpe_encoder(self._file, self._shell.pre_tokenizer, self._control, literals)
        return self._library_encoder() if encoder is None else encoder

    def _library_encoder(self) -> Encoder:
        """The library's own model, for vocabularies that are not recognised."""
        backend = self._whole()
        known = backend.get_added_tokens_decoder()
        backend.add_tokens([token for id, token in self._added.items() if id not in known])
        if isinstance(backend.model, models.Unigram):
            return HubEncoder(hide_control(backend, self._control))
        marks = [t for id, t in self._added.items() if id in self._control and not t.special]
        backend.add_special_tokens(marks)
        return HubEncoder(backend)

    def _vocabulary(self) -> dict[str, int]:
        if self._file.vocabulary:
            return dict(self._file.vocabulary)
        return self._whole().get_vocab(with_added_tokens=False)

    def _whole(self) -> tokenizers.Tokenizer:
        """The file as the library reads it."""
        file = self._file
        if not file.vocabulary:
            return self._library(file.spec)
        model = file.model | {"vocab": file.vocabulary, "merges": file.merges}
        return self._library(file.spec | {"model": model})

    def _library(self, spec: Mapping[str, Any]) -> tokenizers.Tokenizer:
        try:
            return tokenizers.Tokenizer.from_str(json.dumps(spec))
        except Exception as error:  # the library raises no other type
            raise self._invalid(error) from error

    def _rule(self) -> SpellingRule:
        decoder = self._file.spec.get("decoder")
        try:
            return rule_of_decoder(decoder if isinstance(decoder, Mapping) else None)
        except EngineError as error:
            raise self._invalid(error.fault.figures["detail"]) from error

    def _frame(self) -> Frame:
        """What the tokenizer puts around a text: as the configuration says, else as it does."""
        around = self._shell.encode("", add_special_tokens=True).ids
        bos, eos = (self._ids.get(self._names.get(f"{end}_token", "")) for end in ("bos", "eos"))
        if bos is None and around and around[0] != eos:
            bos = around[0]
        by_itself = bool(around) and around[0] == bos
        adds_bos = bool(self._settings.get("add_bos_token", by_itself)) and bos is not None
        by_itself = bool(around) and around[-1] == eos
        adds_eos = bool(self._settings.get("add_eos_token", by_itself)) and eos is not None
        return Frame(bos, adds_bos, (eos,) if adds_eos and eos is not None else ())

    def _invalid(self, detail: object) -> EngineError:
        return EngineError(FaultKind.TOKENIZER_INVALID, path=str(self._path), detail=str(detail))
