"""A window in a process of its own that asks the starter model, so that a test can kill it.

Prints ``writing N`` each time the reply has grown to N characters on screen.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.chat.model_session import ModelPhase


def main(model: Path, question: str) -> int:
    """Open the window, ask as soon as the model is ready, report until killed."""
    app = QApplication([])
    program = Application(app, model=model)
    program.start()
    asked = False

    def look() -> None:
        nonlocal asked
        page = program.window.parts.chat
        if not asked and program.model.state.phase is ModelPhase.READY:
            asked = True
            page.box.field.insertPlainText(question)
            QTest.keyClick(page.box.field, Qt.Key.Key_Return)
        turns = list(page.session.path()) if page.session else []
        if len(turns) == 2:
            print("writing", len(turns[1].content), flush=True)

    timer = QTimer(app)
    timer.timeout.connect(look)
    timer.start(50)
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
