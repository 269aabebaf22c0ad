"""A person before the page of smaller copies, and what transformers makes of a copy."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from PySide6.QtWidgets import QFileDialog, QLabel
from safetensors.torch import save_file
from torch import Tensor
from transformers import AutoModelForCausalLM

from app.application import Application
from app.chat.model_session import ModelPhase
from app.chat.shrinking import ShrinkPhase
from app.ui.smaller.options import CUSTOM, FILE
from engine.library.recipes import PRESETS
from engine.quantizing import CALIBRATION, TEXTS, open_source
from engine.storage.open import open_checkpoint
from tests.families.parity import Sequences, loaded
from tests.journeys.conftest import LOAD_MS, Person

WORK_MS = 540_000
IDS = list(range(100, 148))


class Desk:
    """The page of smaller copies in front of a person."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.program: Application = person.window
        self.page = self.program.window.parts.smaller
        self.work = self.program.shrinking

    def choose(self, path: Path) -> None:
        """Open the page, and a file or a folder in its dialog."""
        self.program.smaller.choose()
        (self.page.folder if path.is_dir() else self.page.file).click()
        dialog = self.program.window.findChild(QFileDialog)
        assert dialog is not None
        dialog.fileSelected.emit(str(path))
        dialog.reject()
        self.person.wait(lambda: self.page.start.isVisible() and self.page.start.isEnabled())

    def read_own(self, text: Path) -> None:
        """Choose the recommended recipe as one's own, and a file in place of the bundled texts.

        A short one: the texts of the program are 8,192 tokens, read twice.
        """
        options = self.page.options
        options.choose(CUSTOM)
        options.method.show_value(PRESETS["4"].method.value)
        options.text._choose(FILE)
        dialog = self.program.window.findChild(QFileDialog)
        assert dialog is not None
        dialog.fileSelected.emit(str(text))
        dialog.done(QFileDialog.DialogCode.Accepted)
        assert options.recipe == PRESETS["4"]
        assert options.calibration == text

    def start(self, size: str) -> Path:
        """Choose a size and begin; the folder that the copy goes into."""
        self.page.options.rows[size].button.click()
        self.page.start.click()
        assert self.work.state.wish is not None
        return self.work.state.wish.target

    def reach(self, phase: ShrinkPhase) -> None:
        """Wait for it; a failure ends the waiting."""
        ends = {phase, ShrinkPhase.FAILED}
        self.person.wait(lambda: self.work.state.phase in ends, WORK_MS)
        assert self.work.state.phase is phase, self.work.state.fault
        assert phase is ShrinkPhase.FAILED or self.work.state.fault is None

    def shown(self) -> str:
        """The words on the page."""
        labels = self.page.findChildren(QLabel)
        return "\n".join(label.text() for label in labels if label.isVisible())

    def use(self, copy: Path) -> str:
        """Load the copy by the report's button and ask it; the answer."""
        self.page.report.use.click()
        model = self.program.model
        self.person.wait(
            lambda: model.state.path == copy and model.state.phase is ModelPhase.READY, LOAD_MS
        )
        assert self.program.window.page == "chat"
        self.person.settle(max_tokens=40)
        self.person.ask("What is the capital of France? Answer in one short sentence.")
        return self.person.wait_for_reply().content


def write_text(into: Path) -> Path:
    """A text of about 1,000 tokens: the beginning of a bundled one."""
    words = (TEXTS / CALIBRATION[0]).read_text("utf-8")
    into.write_text(words[:4500], "utf-8")
    return into


def write_folder(model: Path, into: Path, layers: int | None = None) -> Path:
    """A GGUF file as a folder of bf16; of its layers the first, or all."""
    source = open_source(model)
    count = int(source.values["num_hidden_layers"])
    kept = min(layers or count, count)
    left_out = tuple(f"model.layers.{n}." for n in range(kept, count))
    names = [name for name in source.checkpoint.names() if not name.startswith(left_out)]
    tensors = {name: source.plain(name).contiguous() for name in names}
    into.mkdir()
    save_file(tensors, into / "model.safetensors", metadata={"format": "pt"})
    source.write_text(into)
    values = {**source.values, "num_hidden_layers": kept}
    (into / "config.json").write_text(json.dumps(values), "utf-8")
    return into


@torch.inference_mode()
def theirs(copy: Path) -> Tensor:
    """transformers' logits, the folder loaded as it is."""
    model = AutoModelForCausalLM.from_pretrained(copy, dtype=torch.float32).eval()
    logits: Tensor = model(torch.tensor([IDS])).logits[0]
    return logits


def ours(copy: Path) -> Tensor:
    """Our logits, by the reference's kernels."""
    return Sequences(loaded(open_checkpoint(copy), context=64)).step(("a", IDS))[0]
