"""Newer versions between the section about the program, the dialog and the end of the program."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.store.folders import copies_folder, data_folder, updates_folder
from app.store.settings import SettingsFile
from app.ui.background import ThreadBackground
from app.ui.main_window import MainWindow
from app.ui.question import Answer, QuestionDialog
from engine.contract import EngineError
from engine.library.downloads.pace import RateLimit
from engine.version import program_version

if TYPE_CHECKING:
    from app.ui.settings.page import SettingsPage
    from app.ui.update.dialog import UpdateDialog
    from app.ui.update.rows import UpdateRows
    from app.ui.update.updating import Updating
    from app.update.record import Step

_log = logging.getLogger(__name__)


class UpdateOnScreen(QObject):
    """Answers the buttons about newer versions; what must wait for the program's end waits here.

    Args:
        window: with the settings page.
        settings: whether the network may be used.
        limit: of all downloads together.
    """

    def __init__(self, window: MainWindow, settings: SettingsFile, limit: RateLimit) -> None:
        super().__init__(window)
        self._window, self._settings, self._limit = window, settings, limit
        self._updating: Updating | None = None
        self._afterwards: list[Callable[[], None]] = []
        self.dialog: UpdateDialog | None = None
        window.parts.settings_built.connect(self._on_settings_built)
        settings.listen(self._on_setting_changed)

    def _on_setting_changed(self, names: frozenset[str]) -> None:
        """Stop fetching as soon as nothing but this computer may be asked."""
        if "offline" in names and self._settings.settings.offline and self._updating is not None:
            self._updating.pause()

    def close(self) -> None:
        """Stop fetching; what arrived is kept."""
        if self._updating is not None:
            self._updating.close()

    def finish(self) -> None:
        """Do what waited until everything is saved and closed: the last thing of the program."""
        try:
            for deed in self._afterwards:
                deed()
        except (OSError, EngineError) as error:  # nobody is there any more to be told
            _log.warning("what was to follow the end did not: %s", error)
        self._afterwards.clear()

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        rows = page.update_rows
        rows.look_for.clicked.connect(lambda: self._look(rows))
        rows.go_back.clicked.connect(lambda: self._ask_back(rows))

    def _look(self, rows: UpdateRows) -> None:
        """Open the dialog, and look for a newer version."""
        from app.ui.update.dialog import UpdateDialog  # noqa: PLC0415 - for those who ask
        from app.ui.update.updating import Updating  # noqa: PLC0415

        if self.dialog is not None or rows.channel is None:
            return
        running, folder = program_version(), updates_folder(data_folder())
        if self._updating is None:
            self._updating = Updating(
                rows.channel, rows.place, running, folder, self._settings,
                ThreadBackground(self), self._limit, self,
            )  # fmt: skip
            self._updating.changed.connect(self._on_changed)
        self.dialog = dialog = UpdateDialog(
            self._window.look, self._updating, running, self._window
        )
        dialog.install_wanted.connect(self._on_install_wanted)
        dialog.finished.connect(self._on_closed)
        dialog.open()
        self._updating.look()

    @Slot()
    def _on_changed(self) -> None:
        """Let the status line say that the network is used."""
        from app.ui.update.updating import Stage  # noqa: PLC0415

        if self._updating is not None:
            stage, network = self._updating.state.stage, self._window.parts.status.network
            network.show_downloads(int(stage is Stage.FETCHING), "update")
            network.show_asking("update", is_asking=stage is Stage.LOOKING)

    @Slot()
    def _on_closed(self) -> None:
        self.dialog = None

    @Slot()
    def _on_install_wanted(self) -> None:
        """Start the newer version, or hand its package to the system."""
        from app.update.form import Form  # noqa: PLC0415

        if self._updating is None or self._updating.state.package is None:
            return
        package, place = self._updating.state.package, self._updating.place
        match place.form:
            case Form.TAR if place.root is not None:
                self._end_and(_starting(place.root))
            case Form.WINDOWS_SETUP | Form.MACOS:
                self._end_and(lambda: _open(package))
            case Form.DEB:
                _open(package)
            case _:
                _open(package.parent)

    def _end_and(self, deed: Callable[[], None]) -> None:
        self._afterwards.append(deed)
        if self.dialog is not None:
            self.dialog.accept()
        self._window.quit()

    # --- the version before -----------------------------------------------------------------------

    def _ask_back(self, rows: UpdateRows) -> None:
        step = rows.step
        if step is None:
            return
        look = self._window.look
        text = look.language.text
        about = " ".join(text(each) for each in self._consequences(rows, step))
        QuestionDialog(
            look,
            text("update-back-title", version=step.before),
            about,
            [Answer("update-back-now", lambda: self._go_back(rows, step))],
            self._window,
        ).open()

    def _consequences(self, rows: UpdateRows, step: Step) -> list[str]:
        """Return the texts of what going back means here."""
        from app.store.copies import schema_copy  # noqa: PLC0415
        from app.store.opening import known_schema  # noqa: PLC0415
        from app.update.form import Form  # noqa: PLC0415

        said = ["update-back-deb"] if rows.place.form is Form.DEB else ["update-back-about"]
        if step.schema < known_schema():
            has_copy = schema_copy(copies_folder(data_folder()), step.schema).is_file()
            said.append("update-back-chats" if has_copy else "update-back-no-chats")
        return said

    def _go_back(self, rows: UpdateRows, step: Step) -> None:
        """End, put the chats back where that is needed, and let the version before begin."""
        from app.ui.update.words import install_command  # noqa: PLC0415
        from app.update.form import Form  # noqa: PLC0415
        from app.update.record import packages_folder  # noqa: PLC0415
        from app.update.versions import switch  # noqa: PLC0415

        package = packages_folder(updates_folder(data_folder())) / step.package_before
        root = rows.place.root
        if rows.place.form is Form.TAR and root is not None:
            self._afterwards.append(lambda: switch(root, step.before))
        self._afterwards.append(lambda: _put_chats_back(step.schema))
        match rows.place.form:
            case Form.TAR if root is not None:
                self._end_and(_starting(root))
            case Form.DEB:
                QGuiApplication.clipboard().setText(install_command(package, older=True))
                self._window.quit()
            case Form.WINDOWS_SETUP | Form.MACOS:
                self._end_and(lambda: _open(package))
            case _:
                self._end_and(lambda: _open(package.parent))


def _starting(root: Path) -> Callable[[], None]:
    def start() -> None:
        QProcess.startDetached(str(root / "inkstone-window"), [])

    return start


def _open(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def _put_chats_back(schema: int) -> None:
    from app.store.opening import put_back  # noqa: PLC0415

    put_back(data_folder(), schema)
