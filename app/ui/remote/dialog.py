"""The form of a remote model: which server, which of its models, and whether it answers."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QVBoxLayout,
    QWidget,
)

from app.ui.buttons import Button
from app.ui.choice_button import ChoiceButton
from app.ui.look import Look
from app.ui.model_words import server_words, thousands
from app.ui.remote.fault_fields import FIELD_OF, Field
from app.ui.words import Plain, Words, wrapped
from engine.contract import EngineError, FaultKind
from engine.library.servers.address import server_address
from engine.library.servers.asking import Server
from engine.library.servers.card import RemoteCard
from engine.library.servers.known import KNOWN, ServerKind

_OTHER = ServerKind.OTHER.value
_NO_SERVER = Server(ServerKind.OTHER, (), 0.0)


class RemoteDialog(QDialog):
    """Asks for a server and a model; what waits for the network comes as signals."""

    models_wanted = Signal(object, str)  # RemoteCard, key
    test_wanted = Signal(object, str)
    save_wanted = Signal(object, str)
    key_unwanted = Signal(str)  # address
    address_given = Signal(str)

    def __init__(self, look: Look, parent: QWidget, card: RemoteCard | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._server, self._listed = look, _NO_SERVER, ""
        self._known = card or RemoteCard("", "")
        self._title_id = "remote-edit" if card else "remote-add"
        self.setWindowTitle(look.language.text(self._title_id))
        presets = {_OTHER: "remote-other", **{k.kind.value: f"={k.name}" for k in KNOWN}}
        self.preset = ChoiceButton(look, "remote-preset", presets)
        self.address, self.key = self._field("remote-address"), self._field("remote-key")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.model, self.name = self._field("remote-model"), self._field("remote-name")
        self.certificate = self._field("remote-certificate")
        self.proxy = self._field("remote-proxy")
        self.list = QListWidget()
        self.list.setObjectName("form-field")
        self.list.setAccessibleName(look.language.text("remote-models"))
        self.list.setFixedHeight(112)
        self.list.hide()
        self.mark, self.said = Plain("", "small2"), Plain("", "small2")
        self.ask = Button(look, "remote-ask", icon="list-bullets")
        self.forget = Button(look, "remote-forget-key", "quiet", size="small")
        self.forget.hide()
        self.browse = Button(look, "remote-browse")
        self.test = Button(look, "remote-test", icon="gauge")
        self.save = Button(look, "save", "main")
        self.cancel = Button(look, "cancel", "quiet")
        self._lay_out()
        self._connect()
        self._fill(self._known)
        self.resize(620, 560)
        self._first: QWidget = self.address
        self._asker: QWidget | None = None  # the button that asked: it is out of use meanwhile
        self._moved_to: QWidget | None = None  # where Qt put the focus instead
        QTimer.singleShot(0, self, self._begin)

    # --- what it is told ----------------------------------------------------------------------

    @Slot()
    def _begin(self) -> None:
        self._first.setFocus()

    def begin_at(self, kind: FaultKind) -> None:
        """Let a person begin at the field that a fault is about."""
        field = self._field_of(kind) or self.address
        field.selectAll()
        self._first = field

    def show_fault(self, kind: FaultKind, sentence: str) -> None:
        """Say what went wrong, at the field that it is about."""
        self.say(sentence, "wrong")
        if (field := self._field_of(kind)) is not None:
            field.setFocus()
            field.selectAll()

    def _field_of(self, kind: FaultKind) -> QLineEdit | None:
        fields = {
            Field.ADDRESS: self.address,
            Field.KEY: self.key,
            Field.MODEL: self.model,
            Field.CERTIFICATE: self.certificate,
            Field.PROXY: self.proxy,
        }
        return fields[FIELD_OF[kind]] if kind in FIELD_OF else None

    def show_models(self, server: Server) -> None:
        """List what the server has."""
        card = self.card()
        self._server, self._listed = server, card.address if card is not None else ""
        self.list.clear()
        for each in server.models:
            context = f" · {thousands(each.context)}" if each.context else ""
            self.list.addItem(f"{each.id}{context}")
        self.list.setVisible(bool(server.models))
        if len(server.models) == 1:
            self.list.setCurrentRow(0)
        milliseconds = round(1000 * server.answer_s)
        count = len(server.models)
        self.say(self._look.language.text("remote-found", count=count, ms=milliseconds))

    def say(self, text: str, kind: str = "small2") -> None:
        """Say how a question to the server went; the buttons work again."""
        self._tell(text, kind)
        self.set_busy(busy=False)

    def say_waiting(self, text: str) -> None:
        """Say what is awaited; until then nothing more can be asked."""
        self._tell(text, "small2")
        self.set_busy(busy=True)

    def set_busy(self, *, busy: bool) -> None:
        """Let nothing more be asked while an answer is awaited; the focus comes back with it."""
        before, buttons = self.focusWidget(), (self.ask, self.test, self.save)
        for button in buttons:
            button.setEnabled(not busy)
        if busy and before in buttons:
            self._asker, self._moved_to = before, self.focusWidget()
        if busy:
            return
        self._on_typed()
        if self._asker is not None and self.focusWidget() is self._moved_to:
            self._asker.setFocus()
        self._asker = self._moved_to = None

    def _tell(self, text: str, kind: str) -> None:
        self.said.set_kind(kind)
        self.said.setText(text)

    def show_has_key(self, *, kept: bool) -> None:
        """Say that this server's key is kept already."""
        self.forget.setVisible(kept)
        hint = "remote-key-kept" if kept else "remote-key-hint"
        self.key.setPlaceholderText(self._look.language.text(hint))

    # --- construction -------------------------------------------------------------------------

    def _field(self, text_id: str) -> QLineEdit:
        field = QLineEdit()
        text = self._look.language.text
        field.setAccessibleName(text(text_id))
        field.setPlaceholderText(text(f"{text_id}-hint"))
        return field

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        rows: tuple[tuple[str, QWidget, QWidget | None], ...] = (
            ("remote-preset", self.preset, None),
            ("remote-address", self.address, None),
            ("remote-key", self.key, self.forget),
            ("remote-model", self.model, self.ask),
            ("remote-name", self.name, None),
            ("remote-certificate", self.certificate, self.browse),
            ("remote-proxy", self.proxy, None),
        )
        for row, (text_id, field, beside) in enumerate(rows):
            place = row if row < 4 else row + 1  # the list stands below its field
            grid.addWidget(Words(self._look, text_id, "small"), place, 0)
            grid.addWidget(field, place, 1, 1, 1 if beside else 2)
            if beside is not None:
                grid.addWidget(beside, place, 2)
        grid.addWidget(self.list, 4, 1, 1, 2)
        foot = QHBoxLayout()
        foot.addWidget(self.test)
        foot.addStretch()
        foot.addWidget(self.cancel)
        foot.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(Words(self._look, self._title_id, "title"))
        column.addWidget(wrapped(Words(self._look, "remote-about", "caption2")))
        column.addLayout(grid)
        column.addWidget(wrapped(self.mark))
        column.addWidget(wrapped(self.said))
        column.addStretch()
        column.addLayout(foot)

    def _connect(self) -> None:
        self.preset.chosen.connect(self._on_preset_chosen)
        self.list.currentRowChanged.connect(self._on_row_changed)
        for field in (self.address, self.model, self.key):
            field.textChanged.connect(self._on_typed)
        self.address.editingFinished.connect(self._on_address_given)
        self.ask.clicked.connect(lambda: self._want(self.models_wanted))
        self.test.clicked.connect(lambda: self._want(self.test_wanted))
        self.save.clicked.connect(lambda: self._want(self.save_wanted))
        self.cancel.clicked.connect(self.reject)
        self.browse.clicked.connect(self._on_browse)
        self.forget.clicked.connect(self._on_forget)

    def _fill(self, card: RemoteCard) -> None:
        self.preset.show_value(card.kind)
        self.address.setText(card.address)
        self.model.setText(card.model)
        self.name.setText(card.name)
        self.certificate.setText(card.certificate)
        self.proxy.setText(card.proxy)
        self.show_has_key(kept=False)
        self._on_typed()

    # --- what a person does -------------------------------------------------------------------

    def card(self) -> RemoteCard | None:
        """What the form says; None while the address is none."""
        try:
            address = server_address(self.address.text())
        except EngineError:
            return None
        model = self.model.text().strip()
        told = {each.id: each.context for each in self._server.models}
        known = self._server.kind is not ServerKind.OTHER
        return RemoteCard(
            address,
            model,
            " ".join(self.name.text().split())[:200] or model,
            self._server.kind.value if known else self.preset.value,
            told.get(model, 0) or (self._known.context if model == self._known.model else 0),
            self.certificate.text().strip(),
            self.proxy.text().strip(),
        )

    def _want(self, signal: object) -> None:
        card = self.card()
        if card is not None:
            self.set_busy(busy=True)
            signal.emit(card, self.key.text().strip())  # type: ignore[attr-defined]

    @Slot(str)
    def _on_preset_chosen(self, value: str) -> None:
        self.preset.show_value(value)
        known = next((each for each in KNOWN if each.kind.value == value), None)
        if known is not None:
            self.address.setText(known.address)
            self.address_given.emit(known.address)

    @Slot(int)
    def _on_row_changed(self, row: int) -> None:
        if 0 <= row < len(self._server.models):
            self.model.setText(self._server.models[row].id)

    @Slot()
    def _on_typed(self) -> None:
        card, typed = self.card(), bool(self.address.text().strip())
        if self._listed and card is not None and card.address != self._listed:
            self._server, self._listed = _NO_SERVER, ""  # which may have other models
            self.list.clear()
            self.list.hide()
            card = self.card()
        language = self._look.language
        if card is not None:
            self.mark.setText(f"{card.address}\n{server_words(card.address, language)}")
        else:
            self.mark.setText(language.text("remote-no-address") if typed else "")
        self.ask.setEnabled(card is not None)
        self.test.setEnabled(card is not None and bool(card.model))
        self.save.setEnabled(card is not None and bool(card.model))

    @Slot()
    def _on_address_given(self) -> None:
        if (card := self.card()) is not None:
            self.address_given.emit(card.address)

    @Slot()
    def _on_browse(self) -> None:
        dialog = QFileDialog(self, self._look.language.text("remote-certificate"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter("PEM (*.pem *.crt *.cer)")
        dialog.fileSelected.connect(self.certificate.setText)
        dialog.open()

    @Slot()
    def _on_forget(self) -> None:
        if (card := self.card()) is not None:
            self.key_unwanted.emit(card.address)
            self.show_has_key(kept=False)
