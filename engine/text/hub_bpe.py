"""The encoders for the BPE vocabularies that a ``tokenizer.json`` can describe.

Nearly every language model has one of two kinds: byte-level BPE behind a cutter, or SentencePiece's
pieces with spaces as low lines. Both are recognised by their parts, as the conversion scripts of
transformers write them; anything else is left to the ``tokenizers`` library as a whole.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from tokenizers import AddedToken, pre_tokenizers

from engine.text.byte_level_encoder import ByteLevelEncoder
from engine.text.sentencepiece_encoder import Lead, SentencePieceEncoder, merge_rank
from engine.text.token_bytes import SPACE
from engine.text.tokenizer import Encoder
from engine.text.tokenizer_json import TokenizerJson

Part = Mapping[str, Any]


def bpe_encoder(
    file: TokenizerJson,
    cutter: pre_tokenizers.PreTokenizer | None,
    control: Container[int],
    literals: Sequence[tuple[AddedToken, int]],
) -> Encoder | None:
    """The encoder for a BPE vocabulary; None for one of another kind.

    Args:
        file: the ``tokenizer.json``.
        cutter: its pre-tokenizer.
        control: its control tokens, which no text may become.
        literals: added tokens that are text, and their ids.
    """
    model = file.model
    affixes = (model.get("continuing_subword_prefix"), model.get("end_of_word_suffix"))
    if model.get("type") != "BPE" or any(affixes):
        return None
    cuts = _parts(file.spec.get("pre_tokenizer"), "pretokenizers")
    if any(cut.get("type") == "ByteLevel" for cut in cuts):
        return _byte_level(file, cuts, cutter, control, literals)
    lead = _lead(file, cuts)
    plain = all(not token.normalized for token, _ in literals)
    if lead is None or not plain or model.get("ignore_merges"):
        return None
    return _sentencepiece(file, lead, control, literals)


def _byte_level(
    file: TokenizerJson,
    cuts: Sequence[Part],
    cutter: pre_tokenizers.PreTokenizer | None,
    control: Container[int],
    literals: Sequence[tuple[AddedToken, int]],
) -> Encoder | None:
    """Byte-level BPE, unless a part changes the text in a way that is not known here."""
    changes = _parts(file.spec.get("normalizer"), "normalizers")
    composes = [change.get("type") for change in changes] == ["NFC"]
    adds_space = any(cut.get("add_prefix_space") for cut in cuts if cut.get("type") == "ByteLevel")
    if (changes and not composes) or adds_space:
        return None
    vocabulary = file.vocabulary
    whole = vocabulary if file.model.get("ignore_merges") else {}
    return ByteLevelEncoder(
        vocabulary,
        {text: id for text, id in whole.items() if id not in control},
        {line: rank for rank, line in enumerate(file.merges)},
        cutter,
        literals,
        composes=composes,
    )


def _sentencepiece(
    file: TokenizerJson,
    lead: Lead,
    control: Container[int],
    literals: Sequence[tuple[AddedToken, int]],
) -> Encoder:
    pieces = {text: id for text, id in file.vocabulary.items() if id not in control}
    spelled = [file.vocabulary.get(f"<0x{byte:02X}>") for byte in range(256)]
    bytes_ = [id for id in spelled if id is not None] if file.model.get("byte_fallback") else []
    unknown = file.vocabulary.get(str(file.model.get("unk_token")))
    return SentencePieceEncoder(
        pieces,
        merge_rank(file.merges),
        bytes_ if len(bytes_) == 256 else (),
        unknown,
        {token.content: id for token, id in literals},
        lead=lead,
        literals_are_raw=True,
    )


_REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
_PREPEND = {"type": "Prepend", "prepend": SPACE}


def _lead(file: TokenizerJson, cuts: Sequence[Part]) -> Lead | None:
    """How a text begins, if spaces become low lines and nothing else happens; else None."""
    changes = [dict(change) for change in _parts(file.spec.get("normalizer"), "normalizers")]
    at_spaces = [
        cut.get("type") == "Split" and cut.get("pattern") == {"String": " "} for cut in cuts
    ]
    if all(at_spaces):  # no space is left to split at
        leads = {1: ([_REPLACE], Lead.NONE), 2: ([_PREPEND, _REPLACE], Lead.SPACE)}
        wanted, lead = leads.get(len(changes), ([], None))
        return lead if changes == wanted else None
    if changes or len(cuts) != 1 or cuts[0].get("type") != "Metaspace":
        return None
    default = "always" if cuts[0].get("add_prefix_space", True) else "never"
    scheme = cuts[0].get("prepend_scheme", default)
    return {
        "always": Lead.SPACE_IF_NONE,
        "first": Lead.SPACE_AT_START,
        "never": Lead.NONE,
    }.get(scheme)


def _parts(part: Part | None, name: str) -> list[Part]:
    """The steps of a normalizer or pre-tokenizer, a nested sequence laid flat."""
    if part is None:
        return []
    if part.get("type") != "Sequence":
        return [part]
    return [step for inner in part.get(name, ()) for step in _parts(inner, name)]
