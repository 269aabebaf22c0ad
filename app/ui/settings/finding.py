"""Which settings a search finds: every word of it, in the texts of any language."""

from __future__ import annotations

from collections.abc import Sequence

from app.language import LANGUAGES, Language
from app.ui.settings.rows import FindableRow, Section


class SettingsFinder:
    """Finds rows by what they say in every language that the window can speak.

    The texts are gathered at the first search: the page is there before.
    """

    def __init__(self, language: Language, sections: Sequence[Section]) -> None:
        self._language, self._sections = language, sections
        self._said: dict[FindableRow, str] = {}

    def find(self, wanted: Sequence[str]) -> dict[Section, list[FindableRow]]:
        """Return the rows of each section that have all of these words."""
        words = [word.casefold() for word in wanted]
        return {
            section: [row for row in section.rows if self._has(section, row, words)]
            for section in self._sections
        }

    def _has(self, section: Section, row: FindableRow, words: Sequence[str]) -> bool:
        if not words:
            return True
        if row not in self._said:
            ids = (f"section-{section.name}", *row.text_ids)
            texts = [self._language.text_in(code, each) for code in LANGUAGES for each in ids]
            self._said[row] = "\n".join(texts).casefold()
        return all(word in self._said[row] for word in words)
