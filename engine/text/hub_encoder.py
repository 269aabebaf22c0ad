"""The ``tokenizers`` library as an encoder of plain text.

Control tokens are found by ``ControlTokens``, so the library must not see them: it is told to
treat every special token in a text as text. A Metaspace that puts a space before the first stretch
of text only cannot know which stretch is the first when it gets them one by one, so that rule is
applied here.
"""

from __future__ import annotations

import json
from typing import Any

import tokenizers
from tokenizers import pre_tokenizers

from engine.text.token_bytes import SPACE


class HubEncoder:
    """Encodes with a ``tokenizers.Tokenizer``, which this object takes over and changes."""

    def __init__(self, backend: tokenizers.Tokenizer) -> None:
        backend.encode_special_tokens = True
        backend.no_truncation()
        backend.no_padding()
        self._backend = backend
        self._space_at_start = _take_first_space(backend)

    def encode(self, text: str, *, starts: bool) -> list[int]:
        """Ids of ``text``, every control token in it spelled out."""
        if self._space_at_start and starts and not text.startswith((" ", SPACE)):
            text = f" {text}"
        # the batch call is the one that lets other threads run meanwhile
        ids: list[int] = self._backend.encode_batch_fast([text], add_special_tokens=False)[0].ids
        return ids


def _take_first_space(backend: tokenizers.Tokenizer) -> bool:
    """Switch off a Metaspace's space before the first text; whether there was one."""
    if backend.pre_tokenizer is None:
        return False
    spec = json.loads(backend.pre_tokenizer.__getstate__())
    found = False
    for part in _parts(spec):
        if part.get("type") == "Metaspace" and part.get("prepend_scheme") == "first":
            part["prepend_scheme"] = "never"
            found = True
    if found:
        changed = pre_tokenizers.Metaspace()
        changed.__setstate__(json.dumps(spec).encode())
        backend.pre_tokenizer = changed
    return found


def _parts(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of a pre-tokenizer, a nested sequence laid flat."""
    if spec.get("type") != "Sequence":
        return [spec]
    return [part for inner in spec.get("pretokenizers", ()) for part in _parts(inner)]
