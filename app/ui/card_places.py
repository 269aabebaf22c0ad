"""Where the parts of a model's card stand, at the size of text and the density that are set."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect

from app.ui.theme import Theme

GAP = 12  # px beside a card; each cell of the grid has it at its right
_NAME, _FACTS, _BADGE, _FOOT = 22, 18, 20, 18  # px at 100 %: how tall the lines are
_ABOVE, _APART, _CLOSE, _BELOW = 13, 15, 5, 17  # px as the design has them: above, between, below


@dataclass(frozen=True, slots=True)
class CardPlaces:
    """Pixels below the top of a card.

    Attributes:
        edge: of what is no line: the well and, half of it, the dots.
        name, facts, badge, foot: the tops of the lines.
        height: of the card.
        below: to the next row's cards.
    """

    edge: int
    name: int
    facts: int
    badge: int
    foot: int
    height: int
    below: int

    def card(self, cell: QRect) -> QRect:
        """Return the card within a cell of the grid."""
        return cell.adjusted(0, 0, -GAP, -self.below)


def card_places(theme: Theme) -> CardPlaces:
    """Return the places: the lines grow with the text, the room between them with neither."""
    name = theme.air(_ABOVE)
    facts = name + _NAME
    badge = facts + _FACTS + theme.air(_APART)
    foot = badge + _BADGE + theme.air(_CLOSE)
    height = foot + _FOOT + theme.air(_BELOW)
    px = theme.px
    return CardPlaces(
        edge=theme.air(_APART),
        name=px(name),
        facts=px(facts),
        badge=px(badge),
        foot=px(foot),
        height=px(height),
        below=theme.air(GAP),
    )
