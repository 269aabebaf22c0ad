"""The commands that serve the copy on other computers, to be copied."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout

from app.ui.look import Look
from app.ui.server.copied import CopyRow
from app.ui.words import Plain, Words, wrapped
from engine.library.vllm_commands import ServeCommands


class ServeCard(QFrame):
    """One GPU, several, several machines."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("chart-card")
        self._look = look
        self._commands: ServeCommands | None = None
        self._several = wrapped(Plain("", "small2"))
        self.one, self.several, self.machines = (CopyRow(look, "", lines=True) for _ in range(3))
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 16)
        column.setSpacing(6)
        column.addWidget(Words(look, "smaller-serve", "body-bold"))
        column.addWidget(wrapped(Words(look, "smaller-serve-about", "caption2")))
        column.addSpacing(4)
        column.addWidget(Words(look, "smaller-serve-one", "small2"))
        column.addWidget(self.one)
        column.addWidget(self._several)
        column.addWidget(self.several)
        column.addWidget(wrapped(Words(look, "smaller-serve-machines", "small2")))
        column.addWidget(self.machines)
        look.follow(self._on_look_changed)

    def show_commands(self, commands: ServeCommands | None) -> None:
        """Show the commands of a copy, or nothing."""
        self._commands = commands
        self._on_look_changed()

    def _on_look_changed(self) -> None:
        commands = self._commands
        self.setVisible(commands is not None)
        if commands is None:
            return
        split = commands.split > 1
        text_id = "smaller-serve-several" if split else "smaller-serve-stages"
        self._several.setText(self._look.language.text(text_id, gpus=commands.split))
        self.one.show_text(commands.one)
        self.several.show_text(commands.several)
        self.machines.show_text(commands.machines)
