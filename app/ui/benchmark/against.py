"""A comparison with llama.cpp: whether it is wanted, and where it is."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from app.ui.look import Look

_PACKAGE = "llama_cpp"


class Against(QObject):
    """Whether models are measured beside llama.cpp, in this run of the program.

    llama-cpp-python is looked for where this program's own packages are; elsewhere a person says
    which folder of packages has it.
    """

    changed = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._parent = look, parent
        self._is_wanted = False
        self._folder: Path | None = None
        self._lacks: Path | None = None  # a folder that was chosen and has it not

    @property
    def is_wanted(self) -> bool:
        """Whether models are compared."""
        return self._is_wanted

    def options(self) -> tuple[str, ...]:
        """Return what the job is told of it."""
        if not self._is_wanted:
            return ()
        where = () if self._folder is None else ("--peer", str(self._folder))
        return ("--against", "llama.cpp", *where)

    def hint(self) -> str:
        """Return what is in the way, in words."""
        text = self._look.language.text
        if self._lacks is not None:
            return text("benchmark-peer-not-in", folder=str(self._lacks))
        return text("benchmark-peer-wanted") if self._is_wanted else ""

    def offer(self, menu: QMenu) -> QAction:
        """Add the choice to a menu."""
        text = self._look.language.text
        menu.addSeparator()
        is_here = self._folder is not None or has_peer()
        action = menu.addAction(text("benchmark-peer" if is_here else "benchmark-peer-where"))
        action.setCheckable(is_here)
        action.setChecked(self._is_wanted)
        action.setToolTip(text("benchmark-peer-about"))
        menu.setToolTipsVisible(True)
        action.triggered.connect(self._on_chosen if is_here else self._ask)
        return action

    @Slot(bool)
    def _on_chosen(self, on: bool) -> None:
        self._is_wanted, self._lacks = on, None
        self.changed.emit()

    @Slot()
    def _ask(self) -> None:
        dialog = QFileDialog(self._parent, self._look.language.text("benchmark-peer-folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda chosen: self.take(Path(chosen)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, folder: Path) -> None:
        """Compare with what lies in a folder of packages, or in the environment around it."""
        found = next((each for each in _package_folders(folder) if _has(each)), None)
        self._is_wanted, self._folder = found is not None, found
        self._lacks = None if found is not None else folder
        self.changed.emit()


def has_peer() -> bool:
    """Tell whether llama-cpp-python is among this program's own packages."""
    return find_spec(_PACKAGE) is not None


def _has(folder: Path) -> bool:
    return (folder / _PACKAGE).is_dir()


def _package_folders(folder: Path) -> list[Path]:
    """Return a folder, and those that a virtual environment of that name keeps packages in."""
    inside = [*folder.glob("lib/python3*/site-packages"), folder / "Lib" / "site-packages"]
    return [folder, *inside]
