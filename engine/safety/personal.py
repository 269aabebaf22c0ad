"""Personal data by their checksums and numbering plans: what merely looks like them stays.

The checks are python-stdnum's and Google's phonenumbers; what is here finds the candidates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.safety.rules import Finder, Span, compiled

_CARD_DIGITS = frozenset({13, 14, 15, 16, 18, 19})
_CARD_BEGINNINGS = (
    "4",
    *map(str, (*range(22, 28), *range(34, 39), *range(51, 56))),
    "60",
    "62",
    "64",
    "65",
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of personal data.

    Attributes:
        hint: where one may stand, without groups.
        width: the longest.
        make: its finder, from the regions that a list names (for phone numbers).
    """

    hint: str
    width: int
    make: Callable[[Sequence[str]], Finder]


def _candidates(pattern: str, accepts: Callable[[str], bool]) -> Finder:
    """Places of an expression that are accepted and no part of something longer."""
    expression = compiled(pattern)

    def find(text: str) -> Iterator[Span]:
        begin = 0
        while (found := expression.search(text, begin)) is not None:
            start, end = found.span()
            if not _is_within(text, start, end) and accepts(text[start:end]):
                yield start, end
            begin = end

    return find


def _is_within(text: str, start: int, end: int) -> bool:
    """Whether a candidate is a piece of something longer; Chinese letters stand beside numbers."""
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return any(c.isascii() and c.isalnum() for c in around)


def _is_identity(text: str) -> bool:
    from stdnum.cn import ric  # noqa: PLC0415 (a tenth of a second for all of stdnum)

    return bool(ric.is_valid(_compact(text)))


def _is_card(text: str) -> bool:
    from stdnum import luhn  # noqa: PLC0415

    digits = _compact(text)
    is_plausible = len(digits) in _CARD_DIGITS and digits.startswith(_CARD_BEGINNINGS)
    return is_plausible and len(set(digits)) > 1 and bool(luhn.is_valid(digits))


def _is_iban(text: str) -> bool:
    from stdnum import iban  # noqa: PLC0415

    return bool(iban.is_valid(_compact(text)))


def _is_security_number(text: str) -> bool:
    from stdnum.us import ssn  # noqa: PLC0415

    return bool(ssn.is_valid(text))


def _compact(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def _phones(regions: Sequence[str]) -> Finder:
    """Numbers that exist in these regions' plans, or that begin with a country's code."""
    spelled = _candidates(r"\d(?:[ .-]\d){8,13}", lambda text: _is_mobile(text, regions))

    def find(text: str) -> Iterator[Span]:
        from phonenumbers import Leniency, PhoneNumberMatcher  # noqa: PLC0415

        found: set[Span] = set(spelled(text))
        apart = _apart(text)
        for region in regions:
            matcher = PhoneNumberMatcher(apart, region, leniency=Leniency.STRICT_GROUPING)
            found.update((m.start, m.end) for m in matcher if _stands_out(text, m.start, m.end))
        yield from sorted(found)

    return find


_GLUED = re.compile(r"[a-z](?=\d)|(?<=\d)[a-z]")
_GROUPED = re.compile(r"(?<=\d{3})(?:[_|~*·、/一](?=\d{3})|,(?=\d{4}))")
_BEFORE = re.compile(r"(?:^|[^a-z0-9])[a-z]+$")
_FAR = 16  # letters, which a scanner shows beside a place


def _apart(text: str) -> str:
    """The text, as long, with letters beside digits blank and signs between groups as hyphens.

    A comma counts before four digits alone: before three it groups thousands.
    """
    return _GLUED.sub(" ", _GROUPED.sub("-", text))


def _stands_out(text: str, start: int, end: int) -> bool:
    """Whether a number stands alone or at a word (tel138…), and in no mixture (a hash, an id)."""
    before, after = text[max(0, start - _FAR) : start], text[end : end + 1]
    if before[-1:].isascii() and before[-1:].isalnum() and _BEFORE.search(before) is None:
        return False
    return not (after.isascii() and after.isdigit())


def _is_mobile(text: str, regions: Sequence[str]) -> bool:
    """Whether digits that stand apart are a mobile number."""
    import phonenumbers as phones  # noqa: PLC0415

    for region in regions:
        try:
            number = phones.parse(_compact(text), region)
        except phones.NumberParseException:
            continue
        kind = phones.number_type(number)
        if phones.is_valid_number(number) and kind == phones.PhoneNumberType.MOBILE:
            return True
    return False


def _always(text: str) -> bool:
    return True


_ID = r"\d(?:[ .-]?\d){16}[ .-]?[\dx]"
_CARD = r"\d(?:[ .-]?\d){12,18}"
_IBAN = r"[a-z]{2}\d\d(?:[ -]?[a-z0-9]){11,30}"
_MAIL = r"[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9](?:[a-z0-9-]{0,62}\.){1,4}[a-z]{2,24}"
_SSN = r"\d{3}-\d{2}-\d{4}"
_PHONE = r"\d[\d ().\-/_|~*·、一,]{5,}\d"

KINDS: Mapping[str, Kind] = {
    "phone": Kind(_PHONE, 40, _phones),
    "chinese_identity": Kind(_ID, 36, lambda _: _candidates(_ID, _is_identity)),
    "bank_card": Kind(_CARD, 38, lambda _: _candidates(_CARD, _is_card)),
    "iban": Kind(_IBAN, 68, lambda _: _candidates(_IBAN, _is_iban)),
    "email": Kind(_MAIL, 100, lambda _: _candidates(_MAIL, _always)),
    "us_security_number": Kind(_SSN, 11, lambda _: _candidates(_SSN, _is_security_number)),
}
"""The kinds by the names that rule files use."""
