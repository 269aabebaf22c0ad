"""A model run one layer at a time over a text, with the weights of that layer only in memory.

transformers' own modelling code computes, on a skeleton without weights: a layer's weights are
lent to it while it runs. What each layer wants beside the hidden state (positions, masks) is
recorded once, from a run in which every layer passes its input on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

Read = Callable[[str], Tensor]
"""A tensor of the source by its full name, as float32."""

Watch = Callable[[str, Tensor], None]
"""Called with a linear map's full weight name and its inputs [tokens, columns], float32."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a layer is called with beside the hidden state."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


class _Recorded(Exception):
    """The last layer was reached."""


class LayeredModel:
    """A skeleton whose layers borrow their weights.

    Args:
        config: transformers' configuration.
        names: the checkpoint's tensors.
    """

    def __init__(self, config: Any, names: frozenset[str]) -> None:
        from accelerate import init_empty_weights  # noqa: PLC0415 - with transformers: seconds
        from transformers import AutoModelForCausalLM  # noqa: PLC0415

        with init_empty_weights(include_buffers=False):
            self._model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        self._names = names
        self._asked: list[_Asked] = []
        self._prefix, self._layers = _layers(self._model)

    @property
    def runs(self) -> bool:
        """Whether every tensor that a layer needs is in the checkpoint under its own name.

        Experts are not: transformers joins them as it loads.
        """
        return bool(self._layers) and all(
            f"{self._prefix}.{i}.{name}" in self._names
            for i, layer in enumerate(self._layers)
            for name, _ in layer.named_parameters()
        )

    @property
    def layers(self) -> int:
        """How many."""
        return len(self._layers)

    def weight_names(self, layer: int) -> list[str]:
        """Full names of a layer's parameters."""
        at = f"{self._prefix}.{layer}"
        return [f"{at}.{name}" for name, _ in self._layers[layer].named_parameters()]

    @torch.inference_mode()
    def begin(self, ids: Tensor, embedding: Tensor) -> Tensor:
        """Embed a text and record what the layers are called with.

        Args:
            ids: int64 [sequences, tokens].
            embedding: float32 [used, hidden], the rows of the distinct ids in ascending order.

        Returns:
            float32 [sequences, tokens, hidden], the first layer's input.
        """
        _, small = torch.unique(ids, return_inverse=True)
        table = self._model.get_input_embeddings()
        table.weight = nn.Parameter(embedding, requires_grad=False)
        base = self._model.base_model
        self._asked = [_Asked((), {})] * self.layers
        for number, layer in enumerate(self._layers):
            layer.forward = self._recorder(number)
        found: list[Tensor] = []
        for some in small:
            with suppress(_Recorded):  # the norm after the last layer has no weights
                base(inputs_embeds=table(some[None]), use_cache=False)
            found.append(self._first)
        for layer in self._layers:
            del layer.forward
        return torch.cat(found)

    @torch.inference_mode()
    def run(
        self, layer: int, hidden: Tensor, weights: Mapping[str, Tensor], watch: Watch | None = None
    ) -> Tensor:
        """A layer's output for each sequence.

        Args:
            layer: its number.
            hidden: float32 [sequences, tokens, hidden], its input.
            weights: of the layer, by their full names.
            watch: is shown the inputs of each linear map.
        """
        module, asked = self._layers[layer], self._asked[layer]
        at = f"{self._prefix}.{layer}."
        lent = {name.removeprefix(at): weight for name, weight in weights.items()}
        hooks = [] if watch is None else _watched(module, at, watch)
        try:
            outputs = [
                torch.func.functional_call(
                    module, lent, (one[None], *asked.positional), asked.named
                )
                for one in hidden
            ]
        finally:
            for hook in hooks:
                hook.remove()
        return torch.cat([out[0] if isinstance(out, tuple) else out for out in outputs])

    def _recorder(self, number: int) -> Callable[..., Tensor]:
        def pass_on(hidden: Tensor, *positional: Any, **named: Any) -> Tensor:
            if number == 0:
                self._first = hidden
            self._asked[number] = _Asked(positional, named)
            if number == self.layers - 1:
                raise _Recorded
            return hidden

        return pass_on


def _layers(model: nn.Module) -> tuple[str, list[Any]]:
    """The decoder's layers, and the name that they have in a checkpoint."""
    for name, module in model.named_modules():
        if isinstance(module, nn.ModuleList) and name.endswith("layers") and "vision" not in name:
            return name, list(module)
    return "", []


def _watched(module: nn.Module, at: str, watch: Watch) -> list[Any]:
    def hook(name: str) -> Callable[[nn.Module, tuple[Any, ...]], None]:
        return lambda _, inputs: watch(name, inputs[0].reshape(-1, inputs[0].shape[-1]))

    return [
        one.register_forward_pre_hook(hook(f"{at}{name}.weight"))
        for name, one in module.named_modules()
        if isinstance(one, nn.Linear)
    ]
