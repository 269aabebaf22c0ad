"""Which kernels a device would get, in words, without a model: for people who ask beforehand."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from engine.kernels.choose import VARIABLE, default_threads
from engine.kernels.cuda.ways import Choice, choose_way


@dataclass(frozen=True, slots=True)
class DeviceKernels:
    """What would compute on a device.

    Attributes:
        device: "cpu", "cuda:0", "mps".
        kernels: its kernels, in words.
        refused: faster ways, each with why it does not work.
    """

    device: str
    kernels: str
    refused: tuple[str, ...] = ()


def describe_kernels(
    devices: Sequence[str], choose: Callable[[torch.device], Choice] = choose_way
) -> tuple[DeviceKernels, ...]:
    """The kernels of devices; a GPU's ways are tried with a small product.

    Args:
        devices: names, in the order in which a model fills them.
        choose: tries a GPU's ways.
    """
    return tuple(_described(torch.device(name), choose) for name in devices)


def _described(device: torch.device, choose: Callable[[torch.device], Choice]) -> DeviceKernels:
    wish = os.environ.get(VARIABLE, "")
    if wish == "reference":
        return DeviceKernels(str(device), f"plain torch ({VARIABLE}=reference)")
    if device.type == "cuda":
        choice = choose(device)
        name, dtype = choice.kernels.name, str(choice.kernels.dtype).removeprefix("torch.")
        if name == "reference":
            name = "weights are dequantized for each product"
        return DeviceKernels(str(device), f"{name}, {dtype}", choice.refused)
    if device.type != "cpu":
        return DeviceKernels(str(device), "weights are dequantized for each product, float16")
    from engine.kernels.cpu.processor import this_processor  # noqa: PLC0415 - llvmlite takes time

    activations = "float activations" if wish == "precise" else "8-bit activations"
    words = f"{this_processor().label}, {activations}, {default_threads()} threads at most"
    return DeviceKernels("cpu", words)
