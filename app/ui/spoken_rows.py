"""Lists whose rows a screen reader, or a voice, can press.

Qt's own rows offer one action, "Toggle", which selects a row and opens nothing. The rows of a
``PressableList`` offer "Press" first, which does what Enter does. Qt asks for them when something
listens, never otherwise.
"""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleInterface,
    QAccessibleSelectionInterface,
    QWindow,
)
from PySide6.QtWidgets import QAbstractItemView, QAccessibleWidget, QApplication, QListView
from shiboken6 import Shiboken

_FACTORY_IS_THERE = "speaks-rows"
_SEVERAL = (
    QAbstractItemView.SelectionMode.ExtendedSelection,
    QAbstractItemView.SelectionMode.MultiSelection,
)
_Select = QItemSelectionModel.SelectionFlag


class PressableList(QListView):
    """A list whose rows can be pressed."""

    def press_row(self, index: QModelIndex | QPersistentModelIndex) -> bool:
        """Do what Enter does in a row; False where there is nothing to do."""
        raise NotImplementedError


def let_rows_be_pressed(app: QApplication) -> None:
    """Tell Qt, once, that a ``PressableList`` speaks for itself."""
    if not app.property(_FACTORY_IS_THERE):
        app.setProperty(_FACTORY_IS_THERE, True)
        QAccessible.installFactory(_spoken)


def _spoken(name: str, thing: QObject) -> QAccessibleInterface | None:
    return SpokenList(thing) if isinstance(thing, PressableList) else None


class SpokenList(QAccessibleWidget):
    """A list as a screen reader sees it; its rows are made when they are asked for.

    Qt keeps every row under a number until it is told to forget it, and what listens keeps names by
    that number: so all rows are made anew when the list's are.
    """

    def __init__(self, view: PressableList) -> None:
        super().__init__(view, QAccessible.Role.List)
        self._view = view
        self._rows: dict[int, SpokenRow] = {}
        self._selection = _Selection(view, self)
        model = view.model()
        for changed in (
            model.modelReset, model.layoutChanged, model.rowsInserted, model.rowsRemoved,
            model.rowsMoved, view.destroyed,
        ):  # fmt: skip
            changed.connect(self.forget_rows)

    def forget_rows(self, *_: object) -> None:
        """Let Qt forget the rows, before Python does."""
        for row in self._rows.values():
            if Shiboken.isValid(row):
                QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(row))
        self._rows.clear()

    def childCount(self) -> int:
        """Return the number of rows."""
        return self._view.model().rowCount()

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override] # no row
        """Return a row; None where there is none."""
        if not 0 <= index < self.childCount():
            return None
        if index not in self._rows:
            row = self._rows[index] = SpokenRow(self._view, index)
            QAccessible.registerAccessibleInterface(row)
        return self._rows[index]

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Return which row something is; -1 for none."""
        return child.number if isinstance(child, SpokenRow) else -1

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override] # there may be none
        """Return the row where the keys are."""
        return self.child(self._view.currentIndex().row())

    def interface_cast(self, t: QAccessible.InterfaceType) -> int:
        """Return what the list can do: its rows can be selected."""
        if t == QAccessible.InterfaceType.SelectionInterface:
            return _address(self._selection)
        return super().interface_cast(t) or _address(None)


class SpokenRow(QAccessibleInterface):
    """One row.

    Args:
        view: the list.
        number: of the row.
    """

    def __init__(self, view: PressableList, number: int) -> None:
        super().__init__()
        self._view, self.number = view, number
        self._actions = _Actions(self)

    @property
    def index(self) -> QModelIndex:
        """The row in the list's model."""
        return self._view.model().index(self.number, 0)

    def press(self) -> None:
        """Do what Enter does, when whoever asked has its answer: the rows may be others then."""
        index = QPersistentModelIndex(self.index)
        QTimer.singleShot(0, self._view, lambda: self._view.press_row(index))

    def toggle(self) -> None:
        """Select the row, or do so no more."""
        self._view.selectionModel().select(self.index, _Select.Toggle)

    def isValid(self) -> bool:
        """Say whether the row is still there."""
        return Shiboken.isValid(self._view) and self.index.isValid()

    def parent(self) -> QAccessibleInterface:
        """Return the list."""
        return QAccessible.queryAccessibleInterface(self._view)

    def window(self) -> QWindow:
        """Return the list's window."""
        return self.parent().window()

    def role(self) -> QAccessible.Role:
        """Return what it is: an item of a list."""
        return QAccessible.Role.ListItem

    def text(self, t: QAccessible.Text) -> str:
        """Return its words."""
        roles = {
            QAccessible.Text.Name: Qt.ItemDataRole.AccessibleTextRole,
            QAccessible.Text.Description: Qt.ItemDataRole.AccessibleDescriptionRole,
        }
        said = self.index.data(roles[t]) if t in roles else None
        if said is None and t == QAccessible.Text.Name:
            said = self.index.data(Qt.ItemDataRole.DisplayRole)
        return str(said) if said is not None else ""

    def state(self) -> QAccessible.State:
        """Return whether it is selected, has the keys, and is on the screen."""
        view, index, state = self._view, self.index, QAccessible.State()
        selectable = bool(index.flags() & Qt.ItemFlag.ItemIsSelectable)
        is_seen = view.viewport().rect().intersects(view.visualRect(index))
        values = {
            "selectable": selectable,
            "focusable": selectable,
            "extSelectable": selectable and view.selectionMode() in _SEVERAL,
            "selected": view.selectionModel().isSelected(index),
            "focused": view.currentIndex() == index,
            "invisible": not is_seen or not view.isVisible(),
        }
        for name, value in values.items():
            setattr(state, name, value)
        return state

    def rect(self) -> QRect:
        """Return where it is on the screen."""
        area, viewport = self._view.visualRect(self.index), self._view.viewport()
        return QRect(viewport.mapToGlobal(area.topLeft()), area.size())

    def interface_cast(self, arg__1: QAccessible.InterfaceType) -> int:
        """Return what the row can do: it can be pressed."""
        is_asked = arg__1 == QAccessible.InterfaceType.ActionInterface
        return _address(self._actions if is_asked else None)

    # --- what a row has none of ---------------------------------------------------------------

    def object(self) -> QObject | None:  # type: ignore[override] # a row is no object of Qt
        """Return no object: a row is none."""
        return None

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override] # none
        """Return nothing: a row has nothing in it."""
        return None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override] # none
        """Return nothing."""
        return None

    def childCount(self) -> int:
        """Return how much is in it: nothing."""
        return 0

    def indexOfChild(self, arg__1: QAccessibleInterface) -> int:
        """Return that nothing is in it."""
        return -1

    def setText(self, t: QAccessible.Text, text: str) -> None:
        """Change nothing: names are changed in the row's own field."""


class _Actions(QAccessibleActionInterface):
    """What can be done with a row: it is pressed, or selected."""

    def __init__(self, row: SpokenRow) -> None:
        super().__init__()
        self._row = row

    def actionNames(self) -> list[str]:
        return [self.pressAction(), self.toggleAction()]

    def doAction(self, actionName: str) -> None:
        if actionName == self.pressAction():
            self._row.press()
        elif actionName == self.toggleAction():
            self._row.toggle()

    def keyBindingsForAction(self, actionName: str) -> list[str]:
        return []


class _Selection(QAccessibleSelectionInterface):
    """Which rows are selected."""

    def __init__(self, view: PressableList, spoken: SpokenList) -> None:
        super().__init__()
        self._view, self._spoken = view, spoken

    def selectedItems(self) -> list[QAccessibleInterface]:
        numbers = sorted(index.row() for index in self._view.selectedIndexes())
        return [row for each in numbers if (row := self._spoken.child(each)) is not None]

    def selectedItemCount(self) -> int:
        return len(self._view.selectedIndexes())

    def selectedItem(self, selectionIndex: int) -> QAccessibleInterface | None:  # type: ignore[override] # there may be none
        items = self.selectedItems()
        return items[selectionIndex] if 0 <= selectionIndex < len(items) else None

    def isSelected(self, childItem: QAccessibleInterface) -> bool:
        if not isinstance(childItem, SpokenRow):
            return False
        return self._view.selectionModel().isSelected(childItem.index)

    def select(self, childItem: QAccessibleInterface) -> bool:
        several = self._view.selectionMode() in _SEVERAL
        return self._change(childItem, _Select.Select if several else _Select.ClearAndSelect)

    def unselect(self, childItem: QAccessibleInterface) -> bool:
        return self._change(childItem, _Select.Deselect)

    def selectAll(self) -> bool:
        self._view.selectAll()
        return True

    def clear(self) -> bool:
        self._view.clearSelection()
        return True

    def _change(self, row: QAccessibleInterface, how: QItemSelectionModel.SelectionFlag) -> bool:
        if not isinstance(row, SpokenRow):
            return False
        self._view.selectionModel().select(row.index, how)
        return True


def _address(thing: Shiboken.Object | None) -> int:
    """Return what Qt takes for a pointer to something.

    Qt for Python declares a number here, and takes the thing itself or a ``VoidPtr``; a number, or
    None, would be read as an address.
    """
    return Shiboken.VoidPtr(0) if thing is None else thing  # type: ignore[return-value] # see above
