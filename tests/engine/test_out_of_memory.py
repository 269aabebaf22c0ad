"""A real allocation that fails is named with its figures, and the engine goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import resource, psutil, torch
from dataclasses import dataclass, replace
from pathlib import Path
from engine.answering import Answering
from engine.contract import *
from engine.engine import Engine
from tests.doubles.engines import DirectService
from tests.doubles.models import MockModel, expected_reply, mock_loaded

class Hungry(MockModel):
    def forward(self, batch, cache):
        if self.steps == 1:
            self.steps += 1
            torch.empty(6 << 30, dtype=torch.uint8)
        return super().forward(batch, cache)

def load(command):
    yield Progress(command.request, Stage.READING, 1, 1)
    return Answering(mock_loaded(model=Hungry()))

events = []
service = DirectService(events.append, lambda: Engine(load))
service.submit(Load(1, Path("m")))
service.run_all()
held = psutil.Process().memory_info().vms
resource.setrlimit(resource.RLIMIT_AS, (held + (2 << 30), held + (2 << 30)))
for request in (2, 3):
    service.submit(Complete(request, "first", GenerateSettings(max_tokens=9)))
    service.run_all()
ends = {e.request: e for e in events if isinstance(e, (Finished, Failed))}
figures = ends[2].fault.figures
print(ends[2].fault.kind, figures["needed"] >= 6 << 30, figures["device"])
print(list(ends[3].ids) == expected_reply(list(b"first"), 9))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is honoured on Linux")
def test_a_failed_allocation_is_named_and_the_next_request_works() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == ["out_of_memory", "True", "cpu", "True"], done.stderr
