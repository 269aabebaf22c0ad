"""Replies that must match a JSON schema, a regular expression or a grammar (llguidance).

Before each draw the grammar says which tokens could continue a valid text; the rest is never
drawn. About 50 µs a token. The tables over a vocabulary take longer (0.1-1 s), so they are made
when the first constraint is asked for, once a model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence

import numpy as np
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper
from numpy.typing import NDArray

from engine.contract import Constraint, ConstraintKind, EngineError, FaultKind


class _Vocabulary:
    """What ``TokenizerWrapper`` asks of a tokenizer."""

    bos_token_id: int | None = None

    def __init__(
        self,
        tokens: Sequence[bytes],
        end_id: int,
        control_ids: Sequence[int],
        encode: Callable[[str], list[int]],
    ) -> None:
        self.tokens = tokens
        self.eos_token_id = end_id
        self.special_token_ids = control_ids
        self._encode = encode

    def __call__(self, text: bytes | str) -> list[int]:
        return self._encode(text if isinstance(text, str) else text.decode("utf-8", "replace"))


class Grammars:
    """Compiles constraints for one vocabulary.

    Args:
        tokens: the bytes of every token.
        end_ids: tokens that end a reply; a finished text allows nothing else.
        control_ids: tokens that are no text.
        encode: plain text to ids.
    """

    def __init__(
        self,
        tokens: Sequence[bytes],
        end_ids: Collection[int],
        control_ids: Sequence[int],
        encode: Callable[[str], list[int]],
    ) -> None:
        ends = sorted(end for end in end_ids if end < len(tokens))
        if not ends:
            raise EngineError(
                FaultKind.SETTING_INVALID,
                name="constraint",
                value="-",
                allowed="a model with an end-of-turn token",
            )
        vocabulary = _Vocabulary(tokens, ends[0], control_ids, encode)
        self._size = len(tokens)
        self._tokenizer = LLTokenizer(TokenizerWrapper(vocabulary), self._size, ends)

    def compile(self, constraint: Constraint) -> GrammarMask:
        """A new reply's mask.

        Raises:
            EngineError: CONSTRAINT_INVALID with what is wrong with it.
        """
        try:
            grammar = _grammar(constraint)
        except ValueError as error:
            raise _invalid(constraint, str(error)) from error
        matcher = LLMatcher(self._tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise _invalid(constraint, matcher.get_error())
        return GrammarMask(matcher, self._size)


class GrammarMask:
    """What the constraint allows next, a finished text only its end; a ``TokenMask``."""

    def __init__(self, matcher: LLMatcher, size: int) -> None:
        self._matcher = matcher
        self._bits = np.zeros((size + 31) // 32, dtype=np.int32)

    def allowed(self, size: int) -> NDArray[np.bool_]:
        """Which ids may come next, as bool [size].

        Raises:
            EngineError: INTERNAL if the grammar grew past what its parser holds.
        """
        self._matcher.unsafe_compute_mask_ptr(self._bits.ctypes.data, self._bits.nbytes)
        if self._matcher.is_error():
            raise EngineError(FaultKind.INTERNAL, detail=self._matcher.get_error())
        bits = np.unpackbits(self._bits.view(np.uint8), bitorder="little")
        return bits[:size].astype(np.bool_)

    def accept(self, token: int) -> None:
        """Note the token that came.

        Raises:
            EngineError: INTERNAL for a token that was not allowed.
        """
        if not self._matcher.consume_token(token):
            raise EngineError(FaultKind.INTERNAL, detail=self._matcher.get_error())


def _grammar(constraint: Constraint) -> str:
    match constraint.kind:
        case ConstraintKind.JSON_SCHEMA:
            json.loads(constraint.text)  # its error says where, llguidance's does not
            return str(LLMatcher.grammar_from_json_schema(constraint.text))
        case ConstraintKind.REGEX:
            return str(LLMatcher.grammar_from_regex(constraint.text))
        case ConstraintKind.GRAMMAR:
            return str(LLMatcher.grammar_from_lark(constraint.text))


def _invalid(constraint: Constraint, detail: str) -> EngineError:
    return EngineError(
        FaultKind.CONSTRAINT_INVALID,
        form=str(constraint.kind),
        detail=detail.strip().splitlines()[0] if detail.strip() else "-",
    )
