"""One step of a mock model, for tests that need no engine around it."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from engine.generation.scheduler import Scheduler, Share
from engine.runner import ModelRunner
from tests.doubles.models import MockCache, MockModel


def run_step(
    scheduler: Scheduler, model: MockModel, cache: MockCache
) -> tuple[Share, NDArray[np.float32]]:
    """Schedule and run; the only sequence's share with its logits."""
    step = scheduler.schedule(16)
    logits = ModelRunner(model, cache, torch.device("cpu")).run(step)
    return step.shares[0], logits
