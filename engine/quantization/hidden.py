"""The text on its way through the layers, while these are rounded one after the other."""

from __future__ import annotations

from torch import Tensor

from engine.quantization.layered import LayeredModel
from engine.quantization.measuring import Inputs, embedded
from engine.quantization.partial import Partial
from engine.quantization.source import Source


class Hidden:
    """The hidden state before the next layer, kept on disk so that a kill loses one layer.

    Args:
        source: of the copy.
        partial: where the copy grows.
        model: runs the layers.

    Attributes:
        layer: the next one.
    """

    def __init__(self, source: Source, partial: Partial, model: LayeredModel) -> None:
        self._model, self._partial = model, partial
        self._path = partial.folder / "hidden.safetensors"
        first = embedded(source, model)
        kept = partial.load(self._path)
        self.layer = int(partial.said(self._path, "layer") or 0) if kept else 0
        self._hidden = kept["hidden"] if kept else first

    def look(self, weights: dict[str, Tensor]) -> Inputs:
        """The inputs of the next layer's linear maps; the text goes through it, not rounded.

        Args:
            weights: of the layer, not rounded.
        """
        inputs = Inputs(whole=True)
        self._hidden = self._model.run(self.layer, self._hidden, weights, inputs.watch)
        return inputs

    def keep(self, layer: int) -> None:
        """Write down that this layer comes next."""
        self.layer = layer
        self._partial.save(self._path, {"hidden": self._hidden}, layer=str(layer))
