"""The page of the local server: whether it runs, how programs reach it, and what they asked."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.chat.serving import Serving
from app.store.settings import SettingsFile
from app.ui.buttons import Button
from app.ui.header import Header
from app.ui.look import Look
from app.ui.page_frame import Page, scrolled_paper
from app.ui.segments import Segments
from app.ui.server.copied import CopyRow
from app.ui.server.examples import curl_example, python_example
from app.ui.server.request_table import RequestTable
from app.ui.server.settings_card import ServerSettingsCard
from app.ui.words import Plain, Words, wrapped
from engine.server import Obstacle, Phase, ServerState

_SHOWN_AFTER_MS = 100


class ServerPage(Page):
    """Everything about the server, in one column."""

    def __init__(self, look: Look, serving: Serving, settings: SettingsFile) -> None:
        super().__init__()
        self._look, self._serving, self._file = look, serving, settings
        self.settings = ServerSettingsCard(look, serving, settings)
        self.run = Button(look, "server-start", "main", icon="play")
        self.another = Button(look, "server-any-port")
        self.new_key = Button(look, "server-new-key", size="small")
        self._status = wrapped(Plain("", "name"))
        self._about = wrapped(Plain("", "small2"))
        self.rests = wrapped(Words(look, "server-model-rests", "small2"))
        self._key_about = wrapped(Plain("", "small2"))
        self.address = CopyRow(look, "server-address")
        self.key = CopyRow(look, "server-key")
        self.model = CopyRow(look, "server-model")
        named = {"curl": lambda: "curl", "python": lambda: "Python (openai)"}
        self.language = Segments(look, "server-examples", named)
        self.language.show_value("curl")
        self.example = CopyRow(look, "", lines=True)
        self.table = RequestTable(look)
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_AFTER_MS)
        self._lay_out()
        self._connect()
        look.follow(self._on_changed)

    def take_focus(self) -> None:
        """Put the focus on the way to start."""
        self.run.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        inside, column = scrolled_paper()
        column.addWidget(self._state_card())
        self._examples = self._example_card()
        column.addWidget(self._examples)
        column.addWidget(self.settings)
        column.addWidget(self._request_card())
        column.addStretch(1)
        head = Header(Words(self._look, "server", "title"), self.run)
        self.lay_out(head, inside)

    def _state_card(self) -> QFrame:
        card, column = _card()
        column.addWidget(self._status)
        column.addWidget(self._about)
        row = QHBoxLayout()
        row.addWidget(self.another)
        row.addStretch(1)
        column.addLayout(row)
        for line in (self.address, self.key, self.model, self.rests):
            column.addWidget(line)
        foot = QHBoxLayout()
        foot.addWidget(self._key_about, 1)
        foot.addWidget(self.new_key)
        column.addLayout(foot)
        return card

    def _example_card(self) -> QFrame:
        card, column = _card()
        head = QHBoxLayout()
        head.addWidget(Words(self._look, "server-examples", "name"))
        head.addStretch(1)
        head.addWidget(self.language)
        column.addLayout(head)
        column.addWidget(self.example)
        return card

    def _request_card(self) -> QFrame:
        card, column = _card()
        column.addWidget(Words(self._look, "server-requests", "name"))
        column.addWidget(wrapped(Words(self._look, "server-requests-about", "small2")))
        column.addWidget(self.table)
        return card

    def _connect(self) -> None:
        self._serving.changed.connect(self._on_changed)
        self._serving.recorded.connect(self._on_recorded)
        self._timer.timeout.connect(self._show_records)
        self.language.chosen.connect(self._on_changed)
        self.run.clicked.connect(self._on_run)
        self.new_key.clicked.connect(self._on_new_key)
        self.another.clicked.connect(self._on_another)

    @Slot()
    def _on_changed(self) -> None:
        serving, text = self._serving, self._look.language.text
        state = serving.state
        is_running = state.phase is Phase.RUNNING
        self._status.setText(text(f"server-{state.phase.value}"))
        self._about.setText(self._said_about(state))
        self.another.setVisible(state.phase is Phase.FAILED)
        self._say_way_out(state)
        if serving.is_on:
            self.run.say("server-stop", "stop-fill")
        else:
            self.run.say("server-start", "play")
        self.run.setEnabled(state.phase is not Phase.STARTING)
        for row in (self.address, self.model, self._key_about, self._examples):
            row.setVisible(is_running)
        for part in (self.key, self.new_key):
            part.setVisible(is_running and serving.asks_key)
        kept = "kept" if serving.key_is_kept else "held"
        self._key_about.setText(text(f"server-key-{kept if serving.asks_key else 'none'}"))
        self.address.show_text(state.address)
        self.key.show_text(serving.key)
        self.model.show_text(serving.model_name, text("server-no-model"))
        self.rests.setVisible(is_running and serving.rests)
        self._show_example()
        self._show_records()

    def _said_about(self, state: ServerState) -> str:
        """What the state means, or what stands in the way."""
        text, wishes = self._look.language.text, self._serving.wishes
        match state.phase:
            case Phase.FAILED:
                what = state.obstacle or Obstacle.OTHER
                return text(
                    f"server-failed-{what.value.replace('_', '-')}",
                    port=str(wishes.port),
                    address=wishes.host,
                    reason=state.reason,
                )
            case Phase.RUNNING if self._serving.is_local:
                return text("server-running-about")
            case Phase.RUNNING:
                return text("server-running-network")
            case _:
                return text("server-about")

    def _say_way_out(self, state: ServerState) -> None:
        """Say on the button what it does about the obstacle."""
        if state.obstacle is Obstacle.NO_ADDRESS:
            self.another.say("server-use-local")
        elif state.free_port:
            self.another.say("server-use-port", port=str(state.free_port))
        else:
            self.another.say("server-any-port")

    def _show_example(self) -> None:
        serving = self._serving
        make = curl_example if self.language.value == "curl" else python_example
        question = self._look.language.text("server-example-question")
        model = serving.model_name or "default"
        key = serving.key if serving.asks_key else ""
        self.example.show_text(make(serving.state.address, key, model, question))

    @Slot()
    def _on_recorded(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _show_records(self) -> None:
        self.table.show_records(self._serving.records)

    @Slot()
    def _on_run(self) -> None:
        if self._serving.is_on:
            self._serving.stop()
        else:
            self._serving.start()

    @Slot()
    def _on_new_key(self) -> None:
        self._serving.renew_key()

    @Slot()
    def _on_another(self) -> None:
        state = self._serving.state
        if state.obstacle is Obstacle.NO_ADDRESS:
            self._file.change(server_reach="")
        else:
            self._file.change(server_port=state.free_port)
        self._serving.start()


def _card() -> tuple[QFrame, QVBoxLayout]:
    card = QFrame()
    card.setObjectName("chart-card")
    column = QVBoxLayout(card)
    column.setContentsMargins(18, 14, 18, 16)
    column.setSpacing(8)
    return card, column
