"""Opens the advisor from wherever it is asked, lets it look, and does what its buttons say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from app.chat.model_session import ModelPhase
from app.chat.turn import Turn
from app.store.settings import SettingsFile
from app.ui.advisor.deeds import AdviceDeeds
from app.ui.advisor.dialog import AdvisorDialog
from app.ui.advisor.gathering import Gathering
from app.ui.deeds import Deeds
from app.ui.main_window import MainWindow
from app.ui.model_menu import ModelVerb
from app.ui.model_settings.on_screen import ModelSettingsOnScreen
from app.ui.models_on_screen import ModelThings
from app.ui.smaller.on_screen import SmallerOnScreen
from engine.contract import Fault, ModelFacts, Support
from engine.library.advice.facts import Facts
from engine.library.advice.findings import Action, Remedy, Symptom
from engine.library.advice.rules import advise, symptom_of
from engine.library.advice.surroundings import LOOKED_S, Beginning, begin_look

if TYPE_CHECKING:
    from app.ui.models_page import ModelsPage
    from app.ui.monitor.page import MonitorPage


class AdvisorOnScreen(QObject):
    """Between status line, monitor, models page, notices and the sheet.

    Args:
        things: models, benchmarks, what is loaded, and a place to work.
        settings: of the program.
        smaller, model_settings: where buttons lead.
        window: over which the sheet opens.
        deeds: what buttons do.
    """

    def __init__(
        self,
        things: ModelThings,
        settings: SettingsFile,
        smaller: SmallerOnScreen,
        model_settings: ModelSettingsOnScreen,
        window: MainWindow,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._model, self._background, self._window = things.model, things.background, window
        page = window.parts.chat
        self.gathering = Gathering(things.model, things.shelf, settings, page)
        self.deeds = AdviceDeeds(things.model, smaller, model_settings, window, deeds)
        self.dialog: AdvisorDialog | None = None
        self.facts = Facts()
        self._chosen: ModelFacts | None = None
        self._broken: Turn | None = None
        self._measuring = things.measuring
        self._measuring.changed.connect(self._on_measured)
        self._timer = QTimer(self, singleShot=True, interval=round(LOOKED_S * 1000))
        self._begun: Beginning | None = None
        self._timer.timeout.connect(self._on_looked)
        window.parts.status.advice_wanted.connect(self.open)
        deeds.advice_wanted.connect(self.open)
        page.verbs.advice_wanted.connect(self.open_for_reply)
        window.parts.monitor_built.connect(self._on_monitor_built)
        window.parts.models_built.connect(self._on_models_built)

    @Slot()
    def open(self, chosen: ModelFacts | None = None) -> None:
        """Open the sheet for a model, or for the one of the chat."""
        self._open(chosen, None)

    @Slot(object)
    def open_for_reply(self, broken: Turn) -> None:
        """Open the sheet for a reply that broke off, with its own figures."""
        self._open(None, broken)

    def _open(self, chosen: ModelFacts | None, broken: Turn | None) -> None:
        if self.dialog is not None:
            self.dialog.raise_()
            return
        self._broken = broken
        name = chosen.name if chosen is not None else self.gathering.name()
        asked = self._asked(chosen, broken)
        self._chosen = chosen
        self.dialog = AdvisorDialog(self._window.look, name, asked, self._window)
        self.dialog.chosen.connect(self._on_chosen)
        self.dialog.again_wanted.connect(self._look)
        self.dialog.finished.connect(self._on_closed)
        self.dialog.open()
        self._look()

    def _asked(self, chosen: ModelFacts | None, broken: Turn | None) -> Symptom:
        """The question that stands first."""
        if chosen is not None:
            return Symptom.UNFIT
        state = self._model.state
        fault = state.fault if state.phase is ModelPhase.FAILED else None
        fault = broken.fault if broken is not None else fault
        return symptom_of(fault) if fault is not None else Symptom.SLOW

    @Slot()
    def _look(self) -> None:
        """Look for a second, then tell."""
        if self.dialog is None:
            return
        self.dialog.show_looking()
        self._begin()

    def _begin(self) -> None:
        self.facts = self.gathering.known(self._chosen, self._broken)
        self._background.run(begin_look, self._on_begun, self._on_failed)

    def _on_begun(self, begun: Beginning) -> None:
        self._begun = begun
        if self.dialog is not None:
            self._timer.start()

    @Slot()
    def _on_looked(self) -> None:
        facts, begun, bandwidth = self.facts, self._begun, self._measuring.bandwidth
        if begun is not None and self.dialog is not None:
            complete = self.gathering.complete
            self._background.run(
                lambda: complete(facts, begun, bandwidth), self._show, self._on_failed
            )

    def _show(self, facts: Facts) -> None:
        self.facts = facts
        if self.dialog is not None:
            self.dialog.show_found(facts, advise(facts))
            self._measure_memory()

    def _on_failed(self, _: Fault) -> None:
        if self.dialog is not None:
            self.dialog.reject()

    # --- the memory's speed -------------------------------------------------------------------

    def _measure_memory(self) -> None:
        """Measure the memory, where nothing has yet, and no reply would be disturbed.

        After the look, which would take the measurement for another program's work.
        """
        session = self._window.parts.chat.session
        is_busy = session is not None and session.state.busy
        if not self._measuring.bandwidth and not is_busy:
            self._measuring.begin()

    @Slot()
    def _on_measured(self) -> None:
        if self.dialog is not None and not self.dialog.is_looking:
            self._begin()

    # --- from the sheet -----------------------------------------------------------------------

    @Slot(object)
    def _on_chosen(self, action: Action) -> None:
        if action.remedy is Remedy.LOOK_AGAIN:
            self._look()
            return
        model = self._about()
        if self.dialog is not None:
            self.dialog.accept()
        if model is not None:
            self.deeds.act(action, model)

    def _about(self) -> ModelFacts | None:
        """The model that the sheet is about."""
        running, refused = self.facts.running, self.facts.refused
        return running.model if running is not None else refused.model if refused else None

    @Slot()
    def _on_closed(self) -> None:
        self._timer.stop()
        self.dialog = None

    # --- where it is asked --------------------------------------------------------------------

    @Slot(object)
    def _on_monitor_built(self, page: MonitorPage) -> None:
        page.advice_wanted.connect(self.open)

    @Slot(object)
    def _on_models_built(self, page: ModelsPage) -> None:
        page.menu.offer(ModelVerb("advisor-verb", "lifebuoy", self.open, _can_advise))


def _can_advise(model: ModelFacts) -> bool:
    return model.support is not Support.UNSUPPORTED
