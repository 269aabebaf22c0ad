"""What a Debian package's ``copyright`` says: the licence of what is installed, whole texts."""

from __future__ import annotations

import re
from pathlib import Path

COMMON = Path("/usr/share/common-licenses")
_FORMAT = re.compile(r"^Format(-Specification)?:", re.MULTILINE | re.IGNORECASE)
_STANZA = re.compile(r"\n[ \t]*\n(?=\S)")
_PACKAGING = re.compile(r"^(debian/|\*/debian/)")
_FIRST_WORDS = (
    ("MIT", "permission is hereby granted, free of charge"),
    ("Apache-2.0", "apache license, version 2.0"),
    ("BSD", "redistribution and use in source and binary forms"),
    ("Zlib", "provided 'as-is', without any express or implied warranty"),
)
_SHARED = (
    ("GPL-with-exception", r"gnu general public license(?s:.)*\bexception\b"),
    ("LGPL", r"gnu (lesser|library) general public license"),
    ("GPL", r"gnu (affero )?general public license"),
)
"""Looked for first: one of them in a text binds more than a freer licence beside it."""


def licence_of(copyright_text: str) -> str:
    """Return a package's licence in short, as its file names it; "" where it names none.

    A file in the machine-readable form (DEP-5) speaks of every file of the source, test programs
    and packaging too; what is installed is under the licence of ``Files: *``. In another form the
    licences' own first words are looked for.
    """
    if _FORMAT.search(copyright_text[:400]) is None:
        return _by_words(copyright_text)
    stanzas = [_fields(stanza) for stanza in _STANZA.split(copyright_text)]
    of_files = [s for s in stanzas if "files" in s and "license" in s]
    whole = [s for s in of_files if "*" in s["files"].split()]
    others = [s for s in of_files if not _PACKAGING.match(s["files"])]
    return " AND ".join(
        dict.fromkeys(s["license"].splitlines()[0].strip() for s in whole or others)
    )


def common_text(licence: str) -> str:
    """Return the whole text that a short name stands for on a Debian system; "" without one."""
    name = licence.removesuffix("+").removesuffix(".0")
    for file in (COMMON / licence, COMMON / name):
        if re.fullmatch(r"[\w.-]+", file.name) and file.is_file():
            return file.read_text("utf-8")
    return ""


def _by_words(text: str) -> str:
    plain = " ".join(text.lower().split())
    for name, words in _SHARED:
        if re.search(words, plain):
            return name
    return " AND ".join(name for name, words in _FIRST_WORDS if words in plain)


def _fields(stanza: str) -> dict[str, str]:
    """Return the fields of a stanza by their names in small letters."""
    found: dict[str, str] = {}
    name = ""
    for line in stanza.splitlines():
        if line[:1].isspace():
            found[name] = f"{found.get(name, '')}\n{line.strip()}"
        elif ":" in line:
            name, _, value = line.partition(":")
            name = name.lower()
            found[name] = value.strip()
    return {key: value.strip() for key, value in found.items()}
