"""What a model is, over the page: for windows too narrow for the panel beside the cards."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from app.ui.look import Look
from app.ui.model_detail import ModelDetail
from app.ui.model_menu import ModelMenu


class DetailDialog(QDialog):
    """The panel as a dialog; whatever leads elsewhere closes it."""

    def __init__(self, look: Look, menu: ModelMenu, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(look.language.text("model-details"))
        self.detail = ModelDetail(look, menu)
        self.detail.load_requested.connect(self.accept)
        self.detail.settings_wanted.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.detail)
        self.resize(self.detail.width(), min(640, parent.height() - 40))
