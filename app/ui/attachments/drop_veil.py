"""Files held over the page: the message box says what letting go would do."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.look import Look
from app.ui.model_drop import local_files, only_model
from app.ui.status_items import StatusIcon
from app.ui.words import Plain


class DropVeil(QWidget):
    """Lies over the message box while files are dragged over the page.

    Args:
        look: theme and language.
        page: where files may be let go.
        box: what is covered.
    """

    dropped = Signal(list)  # Path

    def __init__(self, look: Look, page: QWidget, box: QWidget) -> None:
        super().__init__(page)
        self._look, self._page, self._box = look, page, box
        self._words, self._about = Plain("", "body-bold"), Plain("", "small2")
        row = QHBoxLayout(self)
        row.setSpacing(10)
        row.addStretch()
        row.addWidget(StatusIcon(look, "file-plus", "accent", 20))
        row.addWidget(self._words)
        row.addWidget(self._about)
        row.addStretch()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        page.setAcceptDrops(True)
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what is dragged over the page and let go there."""
        if isinstance(event, QDragEnterEvent):
            return self._enter(event)
        if event.type() == QEvent.Type.DragLeave:
            self.hide()
        elif isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop:
            self.hide()
            if files := local_files(event.mimeData()):
                event.setDropAction(Qt.DropAction.CopyAction)
                event.accept()
                self.dropped.emit(files)
                return True
        return False

    def _enter(self, event: QDragEnterEvent) -> bool:
        files = local_files(event.mimeData())
        if not files:
            return False
        text = self._look.language.text
        model = only_model(files)
        if model is not None:
            self._words.setText(text("model-drop", name=model.name[:60]))
        elif len(files) == 1:
            self._words.setText(text("file-drop-one", name=files[0].name[:60]))
        else:
            self._words.setText(text("file-drop-many", count=len(files)))
        self._about.setText(text("model-drop-about" if model else "file-drop-about"))
        corner = self._box.mapTo(self._page, QPoint(0, 0))
        self.setGeometry(self._box.rect().translated(corner))
        self.show()
        self.raise_()
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground and its dashed border."""
        theme = self._look.theme
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.color("paper"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("accent"), 2, Qt.PenStyle.DashLine))
        painter.setBrush(theme.color("accentWash"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 13, 13)
