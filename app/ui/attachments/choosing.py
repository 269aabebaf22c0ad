"""What of a long file the model is to read: asked, never decided.

All, the beginning, the passages closest to the question, or chosen pages, sheets, slides, chapters;
or not the file at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.chat.attachment import Extent
from app.documents import Document, Part
from app.documents.excerpts import numbers_of, numbers_text
from app.ui.attachments.draft_file import Choice, DraftFile
from app.ui.attachments.file_words import part_name
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.words import Elided, Plain, Words, wrapped

_STEP = 100  # tokens
_LEAST = 50  # tokens
_WORDS_SHOWN = 60  # characters of a part's beginning


class PartsList(QWidget):
    """Parts to be ticked, and their numbers to be typed: "1–3, 7"; the two follow each other."""

    changed = Signal()

    def __init__(self, look: Look, document: Document, a_character: float) -> None:
        super().__init__()
        self._document = document
        self.numbers = QLineEdit()
        self.numbers.setPlaceholderText(look.language.text("fit-numbers"))
        self.numbers.setAccessibleName(look.language.text("fit-numbers"))
        self.numbers.textEdited.connect(self._on_numbers_edited)
        self.list = QListWidget()
        self.list.setObjectName("form-field")
        self.list.setAccessibleName(look.language.text(f"fit-parts-{part_name(document.kind)}"))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        for part in document.parts:
            tokens = look.language.text("file-about", count=round(len(part.text) * a_character))
            item = QListWidgetItem(f"{part.number} · {tokens} · {_words_of(part)}", self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        self.list.itemChanged.connect(self._on_item_changed)
        column = QVBoxLayout(self)
        column.setContentsMargins(26, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.numbers)
        column.addWidget(self.list, 1)

    @property
    def chosen(self) -> frozenset[int]:
        """The numbers of the ticked parts."""
        return frozenset(part.number for _, part in self._ticked())

    @property
    def characters(self) -> int:
        """How long the ticked parts are together."""
        return sum(len(part.text) for _, part in self._ticked())

    def _ticked(self) -> list[tuple[int, Part]]:
        return [
            (row, part)
            for row, part in enumerate(self._document.parts)
            if self.list.item(row).checkState() is Qt.CheckState.Checked
        ]

    @Slot(str)
    def _on_numbers_edited(self, text: str) -> None:
        numbers = numbers_of(text, self._document.parts[-1].number)
        self.list.blockSignals(True)
        for row, part in enumerate(self._document.parts):
            on = part.number in numbers
            state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            self.list.item(row).setCheckState(state)
        self.list.blockSignals(False)
        self.list.viewport().update()
        self.changed.emit()

    @Slot()
    def _on_item_changed(self) -> None:
        self.numbers.setText(numbers_text(self.chosen))
        self.changed.emit()


class FitDialog(QDialog):
    """The choice for one file.

    Args:
        look: theme and language.
        file: what is chosen from; it has been read.
        room: tokens that fit beside everything else.
        question: what is typed; passages are sought for it.
        parent: the window.
    """

    chosen = Signal(object)  # Choice
    left_out = Signal()

    def __init__(
        self, look: Look, file: DraftFile, room: int, question: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._file, self._room, self._question = look, file, room, question
        attachment, document = file.attachment, file.document
        if attachment is None or document is None:
            raise ValueError("the file has not been read")
        self._a_character = attachment.tokens / max(1, len(attachment.text))  # tokens
        self.choices: dict[Extent, QRadioButton] = {}
        self.tokens = QSpinBox()
        self.tokens.setMinimumWidth(86)
        self.parts = PartsList(look, document, self._a_character)
        self.keep = Button(look, "fit-keep", "main")
        self._said = Plain("", "caption2")
        self._tokens_row = QWidget()
        self._fill_tokens_row()
        self._lay_out(document)
        self._begin()

    def _lay_out(self, document: Document) -> None:
        text = self._look.language.text
        name = " ".join(self._file.name.split())
        self.setWindowTitle(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(Elided(text("fit-title", name=name), "title"))
        column.addWidget(wrapped(Plain(self._about(), "small2")))
        several = len(document.parts) > 1
        for extent, words in self._options(document, several=several):
            choice = self.choices[extent] = QRadioButton(words)
            choice.toggled.connect(self._on_changed)
            column.addWidget(choice)
            if extent is Extent.RELEVANT or (extent is Extent.BEGINNING and not self._question):
                column.addWidget(self._tokens_row)
        column.addWidget(self.parts, 1)
        self.parts.changed.connect(self._on_changed)
        column.addWidget(self._said)
        column.addStretch()
        column.addLayout(self._buttons())
        self.resize(560, 560 if several else 330)

    def _options(self, document: Document, *, several: bool) -> Sequence[tuple[Extent, str]]:
        text = self._look.language.text
        options = [(Extent.BEGINNING, text("fit-beginning"))]
        if self._question:
            options.append((Extent.RELEVANT, text("fit-relevant")))
        options.append((Extent.WHOLE, text("fit-whole")))
        if several:
            options.append((Extent.PARTS, text(f"fit-parts-{part_name(document.kind)}")))
        return options

    def _fill_tokens_row(self) -> None:
        text = self._look.language.text
        self.tokens.setRange(_LEAST, max(_LEAST, self._full()))
        self.tokens.setSingleStep(_STEP)
        self.tokens.setGroupSeparatorShown(True)
        self.tokens.setAccessibleName(text("fit-tokens"))
        self.tokens.setValue(max(_LEAST, min(self._room, self._full())))
        self.tokens.valueChanged.connect(self._on_changed)
        row = QHBoxLayout(self._tokens_row)
        row.setContentsMargins(26, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(Words(self._look, "fit-at-most", "small2"))
        row.addWidget(self.tokens)
        row.addWidget(Words(self._look, "fit-tokens", "small2"))
        row.addStretch()

    def _buttons(self) -> QHBoxLayout:
        drop = Button(self._look, "fit-drop", "danger")
        cancel = Button(self._look, "cancel", "quiet")
        drop.clicked.connect(self._on_left_out)
        cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._on_kept)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(drop)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(self.keep)
        return row

    def _about(self) -> str:
        return self._look.language.text("fit-about", tokens=self._full(), room=max(0, self._room))

    def _full(self) -> int:
        attachment = self._file.attachment
        return self._file.full_tokens or (attachment.tokens if attachment is not None else 0)

    def _begin(self) -> None:
        """Propose what keeps most of what was asked for: nothing is done until it is pressed."""
        first = Extent.PARTS if Extent.PARTS in self.choices else Extent.BEGINNING
        self.choices[Extent.RELEVANT if self._question else first].setChecked(True)
        self._on_changed()

    @property
    def choice(self) -> Choice:
        """What is chosen now."""
        extent = next(each for each, button in self.choices.items() if button.isChecked())
        return Choice(extent, self.tokens.value(), self.parts.chosen, self._question)

    @Slot()
    def _on_changed(self) -> None:
        if not any(button.isChecked() for button in self.choices.values()):
            return
        choice = self.choice
        by_parts = choice.extent is Extent.PARTS
        self.parts.setVisible(by_parts)
        self._tokens_row.setVisible(choice.extent in {Extent.BEGINNING, Extent.RELEVANT})
        tokens = {
            Extent.WHOLE: self._full(),
            Extent.PARTS: round(self.parts.characters * self._a_character),
        }.get(choice.extent, choice.tokens)
        fits = tokens <= self._room
        text_id = "fit-fits" if fits else "fit-too-long"
        self._said.setText(self._look.language.text(text_id, tokens=tokens, room=self._room))
        self._said.set_kind("caption2" if fits else "caption-warning")
        self.keep.setEnabled(not by_parts or bool(choice.numbers))

    @Slot()
    def _on_kept(self) -> None:
        self.chosen.emit(self.choice)
        self.accept()

    @Slot()
    def _on_left_out(self) -> None:
        self.left_out.emit()
        self.accept()


def _words_of(part: Part) -> str:
    return (part.title or " ".join(part.text[:200].split()))[:_WORDS_SHOWN]
