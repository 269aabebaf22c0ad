"""How one chat's answers are drawn and where they end: a row a setting, and what they come to."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.options import ChatOptions
from app.ui.look import Look
from app.ui.settings.rows import CatalogueRow
from engine.contract import Sampling, SamplingOrder
from engine.contract.presets import sampling_of, values_of
from engine.contract.ranges import REPLY, SAMPLING
from engine.contract.setting import Value

_LAST = ("order", "seed")  # what is no step stands before the steps
_PENALTIES = (
    "repetition_penalty", "penalty_window", "frequency_penalty", "presence_penalty",
    "dry_multiplier", "dry_base", "dry_allowed_length",
)  # fmt: skip
_CUTS = ("top_n_sigma", "top_k", "typical_p", "top_p", "min_p", "xtc_probability", "xtc_threshold")
_WHOLE = ("mirostat_tau", "mirostat_eta", "min_tokens")


def steps(order: SamplingOrder) -> tuple[str, ...]:
    """Return the keys of the sampler's settings in the order in which they act."""
    last = order is SamplingOrder.TEMPERATURE_LAST
    chain = (*_CUTS, "temperature") if last else ("temperature", *_CUTS)
    return (*_LAST, *_PENALTIES, *chain, *_WHOLE)


class SamplingRows(QObject):
    """The rows stand wherever somebody puts them; a chat's options go in and come out changed.

    Args:
        look: theme and language.
        parent: what holds the rows.
    """

    changed = Signal(object)  # ChatOptions, by a person
    reordered = Signal()  # the steps act in another order

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self.rows = {
            each.key: CatalogueRow(look, each, says_when=False) for each in (*SAMPLING, *REPLY)
        }
        self._options, self._usual = ChatOptions(), Sampling()
        for row in self.rows.values():
            row.chosen.connect(self._on_chosen)

    @property
    def ends(self) -> list[CatalogueRow]:
        """Where answers end."""
        return [self.rows[each.key] for each in REPLY]

    @property
    def steps(self) -> list[CatalogueRow]:
        """The sampler's settings in the order in which they act."""
        return [self.rows[key] for key in steps(self._sampling.order)]

    def show_options(self, options: ChatOptions, usual: Sampling) -> None:
        """Show a chat's values, and where it has none what the model samples with."""
        before = self._sampling.order
        self._options, self._usual = options, usual
        shown: dict[str, Value] = values_of(self._sampling) | {
            "max_tokens": options.max_tokens or 0,
            "stop": options.stop,
        }
        for key, row in self.rows.items():
            row.show_value(shown[key])
        if self._sampling.order is not before:
            self.reordered.emit()

    @property
    def _sampling(self) -> Sampling:
        return self._options.sampling or self._usual

    @Slot(str, object)
    def _on_chosen(self, key: str, value: Value) -> None:
        options = self._options
        if key == "max_tokens" and isinstance(value, int):
            options = replace(options, max_tokens=value or None)
        elif key == "stop" and isinstance(value, tuple):
            options = replace(options, stop=value)
        else:
            old = self._sampling
            made = sampling_of(values_of(old) | {key: value})
            kept = replace(made, dry_breakers=old.dry_breakers, logit_bias=old.logit_bias)
            options = replace(options, sampling=kept)
        if options != self._options:
            self.show_options(options, self._usual)
            self.changed.emit(options)
