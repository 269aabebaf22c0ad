"""The inspector between what is known of replies and the screen: which reply, when, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.inspection import Inspection, Sight
from app.chat.inspection_json import inspection_json
from app.chat.inspections import Inspections
from app.chat.model_session import ModelSession
from app.chat.session import ChatSession
from app.chat.turn import Turn, TurnState
from app.store.settings import SettingsFile
from app.ui.faults import fault_text
from app.ui.file_saving import FileSaving
from app.ui.main_window import MainWindow
from app.ui.pace import Pace, Spent
from engine.contract import Role

if TYPE_CHECKING:
    from app.ui.inspector.panel import InspectorPanel


class InspectorOnScreen(QObject):
    """Opens and closes the panel, and shows a reply in it: the newest, or one that was chosen.

    Args:
        inspections: what is known.
        model: computes figures once more.
        settings: whether the panel is open, and how wide.
        window: where it is.
        saving: what is known of a reply goes into a file.
    """

    def __init__(
        self,
        inspections: Inspections,
        model: ModelSession,
        settings: SettingsFile,
        window: MainWindow,
        saving: FileSaving,
    ) -> None:
        super().__init__(window)
        self._inspections, self._model, self._settings = inspections, model, settings
        self._saving = saving
        self._window, self._page = window, window.parts.chat
        self._chosen: tuple[ChatSession | None, int] = (None, 0)  # a reply that was asked for
        self._before: dict[int, Spent] = {}  # reply: what laying out had cost before it
        self._spent: dict[int, Spent] = {}  # reply: what it cost
        self._pace = Pace(self._show, self)
        window.parts.inspector_built.connect(self._on_built)
        self._connect()
        self._page.header.inspect.setChecked(settings.settings.inspector_open)
        if settings.settings.inspector_open:
            self._open()

    @property
    def is_open(self) -> bool:
        """Whether the panel is open, on whichever page."""
        return self._settings.settings.inspector_open

    @Slot()
    def toggle(self) -> None:
        """Open the panel, or close it; from another page, go to the chat first."""
        if self.is_open and self._window.page == "chat":
            self.close()
        else:
            self._window.go_to_message()
            self._open()

    @Slot()
    def close(self) -> None:
        """Close the panel; nothing more is asked of the engine."""
        self._settings.change(inspector_open=False)
        self._inspections.is_wanted = False
        self._page.header.inspect.setChecked(False)
        self._window.desk.show_inspector(0)
        self._window.focus_message()

    @Slot(int)
    def look_into(self, turn: int) -> None:
        """Open the panel with a reply of the open chat."""
        self._chosen = (self._page.session, turn)
        self._open()

    def _open(self) -> None:
        self._settings.change(inspector_open=True)
        self._inspections.is_wanted = True
        self._page.header.inspect.setChecked(True)
        panel = self._window.parts.inspector
        panel.memory.show_model(self._model.state.loaded)
        self._window.desk.show_inspector(self._settings.settings.inspector_width)
        self._show()

    # --- connections --------------------------------------------------------------------------

    def _connect(self) -> None:
        page = self._page
        page.header.inspect.clicked.connect(self.toggle)
        page.verbs.inspection_wanted.connect(self.look_into)
        page.turns_changed.connect(self._on_turns_changed)
        page.state_changed.connect(self._on_turns_changed)
        self._inspections.changed.connect(self._on_inspection_changed)
        self._inspections.prompt_changed.connect(self._on_inspection_changed)
        self._model.state_changed.connect(self._on_model_changed)
        self._window.desk.inspector_left.connect(self.close)
        self._window.look.language.changed.connect(self._show)

    @Slot(object)
    def _on_built(self, panel: InspectorPanel) -> None:
        panel.closed.connect(self.close)
        panel.save_wanted.connect(self._on_save)
        panel.look_back_wanted.connect(self._on_look_back)
        panel.stop_wanted.connect(self._on_stop)
        panel.branch_wanted.connect(self._on_branch)
        panel.prompt_page_wanted.connect(self._on_page_wanted)
        panel.dragged.connect(self._on_dragged)
        panel.segments.chosen.connect(self._pace.ask)

    # --- what is shown ------------------------------------------------------------------------

    def _turn(self) -> Turn | None:
        """Return the reply to show: the one that was chosen, or the newest."""
        session = self._page.session
        if session is None:
            return None
        owner, chosen = self._chosen
        if owner is session and session.shows(chosen):
            return session.path_to(chosen)[-1]
        newest_first = reversed(session.path())
        return next((turn for turn in newest_first if turn.role is Role.ASSISTANT), None)

    @Slot()
    def _show(self) -> None:
        """Show what is known, and say why where nothing is."""
        panel = self._window.parts.built_inspector
        if panel is None or not self.is_open:
            return
        turn = self._turn()
        seen = self._inspections.of(turn.id) if turn is not None else None
        panel.show_reply(seen, self._spent.get(turn.id) if turn is not None else None)
        panel.answer.detail.set_can_branch(turn is not None and self._is_of_model(turn))
        self._explain(panel, turn, seen)

    def _is_of_model(self, turn: Turn) -> bool:
        """Tell whether the loaded model wrote a reply: another one has other tokens."""
        loaded = self._model.state.loaded
        return loaded is not None and turn.model == loaded.model.name

    def _is_remote(self, turn: Turn) -> bool:
        """Tell whether a server wrote a reply, which tells nothing of its tokens."""
        loaded = self._model.state.loaded
        return loaded is not None and bool(loaded.model.server) and self._is_of_model(turn)

    def _explain(self, panel: InspectorPanel, turn: Turn | None, seen: Inspection | None) -> None:
        text = self._window.look.language.text
        if turn is None:
            panel.absence.say(text("inspector-nothing"))
        elif seen is None or self._is_remote(turn):
            reason = self._why_not(turn)
            panel.absence.say(text(reason), can_look_back=reason == "inspector-unseen")
        elif seen.is_again and seen.sight is Sight.RUNNING:
            total = len(turn.ids) or turn.figures.generated_tokens if turn.figures else 0
            words = text("inspector-computing", done=len(seen.tokens), total=total)
            panel.absence.say(words, can_stop=True)
        elif seen.sight is Sight.BROKEN and seen.fault is not None:
            said = fault_text(seen.fault, self._window.look.language)
            panel.absence.say(f"{said.lead} {said.rest}", can_look_back=bool(seen.is_again))
        elif seen.sight is Sight.TEXT_ONLY:
            panel.absence.say(text("inspector-text-only"))
        elif seen.is_again:
            panel.absence.say(text("inspector-again"))
        else:
            panel.absence.say("")

    def _why_not(self, turn: Turn) -> str:
        """Return the text that says why nothing is known, "inspector-unseen" if that can change."""
        loaded, session = self._model.state.loaded, self._page.session
        if turn.state is TurnState.STREAMING:
            return "inspector-began"
        if loaded is None:
            rested = self._model.state.rested
            rests = rested is not None and turn.model == rested.model.name
            return "inspector-rests" if rests else "inspector-no-model"
        if not self._is_of_model(turn):
            return "inspector-other-model"
        if loaded.model.server:
            return "inspector-remote"
        if session is None or not session.replying.has_ids(turn.id):
            return "inspector-no-ids"
        return "inspector-unseen"

    # --- what happens -------------------------------------------------------------------------

    @Slot()
    def _on_turns_changed(self) -> None:
        session = self._page.session
        if session is not None and session.state.busy:
            self._chosen = (None, 0)  # a new reply is what one wants to see
        self._measure()
        if self.is_open:
            self._pace.ask()

    @Slot(int)
    def _on_inspection_changed(self, turn: int) -> None:
        self._measure()
        if self.is_open:
            self._pace.ask()

    @Slot(object)
    def _on_model_changed(self, state: object) -> None:
        if self.is_open:
            self._window.parts.inspector.memory.show_model(self._model.state.loaded)
            self._pace.ask()

    def _measure(self) -> None:
        """Note what the window spends on laying out the reply that is being written."""
        session = self._page.session
        turn = session.state.turn if session is not None else None
        if not self.is_open or turn is None:
            return
        now = self._page.transcript.pace.spent
        self._spent[turn] = now.since(self._before.setdefault(turn, now))

    @Slot()
    def _on_look_back(self) -> None:
        turn, session = self._turn(), self._page.session
        if turn is not None and session is not None:
            session.replying.look_back(turn.id)

    @Slot()
    def _on_stop(self) -> None:
        if (turn := self._turn()) is not None:
            self._inspections.stop(turn.id)

    @Slot()
    def _on_save(self) -> None:
        turn = self._turn()
        seen = self._inspections.of(turn.id) if turn is not None else None
        if turn is not None and seen is not None:
            self._saving.ask(inspection_json(seen, turn), "answer.json", "inspector-save")

    @Slot(int, int)
    def _on_branch(self, place: int, candidate: int) -> None:
        """Make a new version that begins with the tokens up to there and the other one."""
        turn, session = self._turn(), self._page.session
        seen = self._inspections.of(turn.id) if turn is not None else None
        if turn is None or not self._is_of_model(turn):
            return
        if session is not None and seen is not None:
            self._chosen = (None, 0)
            session.regenerate(turn.id, seen.branch(place, candidate))

    @Slot(int)
    def _on_page_wanted(self, page: int) -> None:
        if (turn := self._turn()) is not None:
            self._inspections.read_page(turn.id, page)

    @Slot(int)
    def _on_dragged(self, width: int) -> None:
        self._settings.change(inspector_width=width)
        self._window.desk.show_inspector(width)
