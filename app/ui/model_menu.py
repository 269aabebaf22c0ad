"""What can be done with a model: the verbs of a card's menu, offered by whoever does them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.look import Look
from engine.contract import ModelFacts


class InPanel(Enum):
    """Where the panel beside the cards has a verb too."""

    NOWHERE = auto()
    BUTTON = auto()  # with words
    ICON = auto()
    HEAD = auto()  # an icon beside the model's name


@dataclass(frozen=True, slots=True)
class ModelVerb:
    """An entry of the menu.

    Attributes:
        text_id: what it is called.
        icon: Phosphor's name.
        act: does it to a model.
        applies: whether it can be done to a model; where not, the entry is left out.
        is_checked: whether it is in force, for an entry that is switched on and off.
        in_panel: where the panel beside the cards has it too.
        deletes: whether something is lost by it: drawn in the colour of deleting, at the end.
    """

    text_id: str
    icon: str
    act: Callable[[ModelFacts], object]
    applies: Callable[[ModelFacts], bool] = lambda _: True
    is_checked: Callable[[ModelFacts], bool] | None = None
    in_panel: InPanel = InPanel.NOWHERE
    deletes: bool = False


class ModelMenu(QObject):
    """The verbs in the order in which they were offered, and the menu of them."""

    offered = Signal()

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._look, self._window = look, window
        self._verbs: list[ModelVerb] = []

    def offer(self, *verbs: ModelVerb) -> None:
        """Add verbs to the menus of all models, and to the panel where they say so."""
        self._verbs += verbs
        self.offered.emit()

    def verbs(self, facts: ModelFacts) -> list[ModelVerb]:
        """Return what can be done with a model, what deletes last."""
        return sorted((v for v in self._verbs if v.applies(facts)), key=lambda v: v.deletes)

    @Slot(object, QPoint)
    def open(self, facts: ModelFacts, where: QPoint) -> None:
        """Open the menu of a model at a place on the screen."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        verbs = self.verbs(facts)
        for verb in verbs:
            if verb.deletes and verb is not verbs[0]:
                menu.addSeparator()
            icon = self._look.theme.icon(verb.icon, "cinnabar" if verb.deletes else "ink2")
            action = menu.addAction(icon, self._look.language.text(verb.text_id))
            if verb.is_checked is not None:
                action.setCheckable(True)
                action.setChecked(verb.is_checked(facts))
            action.triggered.connect(lambda _=False, verb=verb: verb.act(facts))
        menu.popup(where)
