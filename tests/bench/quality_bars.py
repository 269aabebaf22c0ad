"""How close roundings stay to a model, ours and others': ``quality_bars.py MODEL --peer PYTHON``.

``MODEL`` is a GGUF file of a real model, or ``outliers`` for random weights with outlier channels.
A real file's weights lie on its own grid, which a format of the same kind meets again by itself;
``--off-grid`` gives each weight a random place within its step, as it had before it was rounded.

Only the layers' matrices are rounded, the rest stays exact in all rows, and transformers computes
in float32: what differs is the rounding alone. Rows of a size keep the same weights in 8 bits.
``PYTHON`` is an interpreter with llama-cpp-python, whose ``llama_model_quantize`` makes the others.

With ``--folder`` what was made and measured stays there, and the same command goes on where it was
stopped: a model's rows take from ten minutes to an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import gguf
import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import AutoModelForCausalLM

from engine.evaluating import HELD_OUT
from engine.families.registry import hub_view
from engine.library.recipes import PRESETS, Method, Scheme
from engine.quantization.job import Job
from engine.quantization.likeness import Comparison, Likeness
from engine.quantization.measuring import Measured, measure
from engine.quantization.names import is_rounded
from engine.quantization.rounding import round_nearest
from engine.quantization.source import Source
from engine.quantizing import TEXTS, open_source, pieces
from engine.storage.checkpoint import Checkpoint
from engine.storage.open import open_checkpoint
from engine.text.model_text import open_text
from engine.weights import dense
from tests.families.tiny_gguf import metadata_of, write_gguf
from tests.quantization.models import source_of, write_llama

SLICE, GRID = 256, 32
PEERS = {"Q4_0": 2, "Q4_K_M": 15}
WAYS = (*PEERS, "nearest", "recipe", "gptq", "awq")
PEER = """
import sys, llama_cpp
params = llama_cpp.llama_model_quantize_default_params()
params.ftype, params.nthread = int(sys.argv[3]), 2
sys.exit(llama_cpp.llama_model_quantize(sys.argv[1].encode(), sys.argv[2].encode(), params))
"""

Weights = Mapping[str, Callable[[], Tensor]]
"""The layers' matrices by name, made when they are wanted."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way of rounding.

    Attributes:
        name: what is shown.
        bits: a weight, over the layers' matrices.
        like: how like the source it speaks.
    """

    name: str
    bits: float
    like: Likeness


class Bench:
    """A source in a folder, what it says of a text, and copies of it.

    Args:
        source: of safetensors.
        slices: ids of held-out texts, read one by one.
        folder: for what is made.
    """

    def __init__(self, source: Source, slices: list[list[int]], folder: Path) -> None:
        self.source, self.folder, self._slices = source, folder, slices
        self.names = [
            name for name in source.checkpoint.names()
            if is_rounded(name, source.checkpoint.shape(name))
        ]  # fmt: skip

    @cached_property
    def model(self) -> Any:
        """The source in float32."""
        found = AutoModelForCausalLM.from_pretrained(self.source.path, dtype=torch.float32)
        return found.eval()

    @cached_property
    def _exact(self) -> list[Tensor]:
        return list(self._logits())

    @torch.inference_mode()
    def like(self, weights: Weights) -> Likeness:
        """Of the model with these matrices in its layers."""
        theirs = self._exact
        held = dict(self.model.named_parameters())
        exact = {name: held[name].data for name in weights}
        found = Comparison()
        try:
            for name, make in weights.items():
                held[name].data = make().to(torch.float32)
            for ids, wanted, ours in zip(self._slices, theirs, self._logits(), strict=True):
                found.add(wanted, ours, torch.tensor(ids[1:]))
        finally:
            for name, tensor in exact.items():
                held[name].data = tensor
        return found.likeness()

    def copy(self, method: Method, share: float) -> tuple[Weights, dict[str, Scheme]]:
        """The matrices of a copy by the preset for 4 bits, and how each is stored."""
        recipe = replace(PRESETS["4"], method=method, kept_share=share)
        target = self.folder / f"{method.value}-{share:.4f}"
        if not target.exists():
            with patch("engine.quantization.job.measure", self._measure):
                Job(self.source, target, recipe, lambda made: None).run()
        checkpoint = open_checkpoint(target)
        config = json.loads((target / "config.json").read_text("utf-8"))["quantization_config"]
        stored = {
            f"{module}.weight": Scheme(group["weights"]["num_bits"], group["weights"]["group_size"])
            for group in config["config_groups"].values()
            for module in group["targets"]
        }
        norms = [name for name in checkpoint.names() if name.endswith("norm.weight")]
        folded = norms if method is Method.AWQ else []
        made = {name: partial(_dense, checkpoint, name) for name in (*self.names, *folded)}
        return made, {name: stored[name] for name in self.names}

    def nearest(self, stored: Mapping[str, Scheme]) -> Weights:
        """The matrices rounded to the nearest, stored as those of another copy are."""
        return {
            name: lambda name=name, scheme=scheme: (
                round_nearest(self.source.float(name), scheme, self.source.scale_dtype).weight
            )
            for name, scheme in stored.items()
        }

    def bits(self, stored: Mapping[str, Scheme]) -> float:
        """A weight, over the layers' matrices."""
        sizes = {name: dense_size(self.source.checkpoint.shape(name)) for name in stored}
        total = sum(scheme.bits_per_weight * sizes[name] for name, scheme in stored.items())
        return total / sum(sizes.values())

    def _measure(self, *asked: Any) -> Measured:
        """What a text does to each layer, which is the same for every copy: looked at once."""
        kept = self.folder / "measured.pt"
        if not kept.exists():
            found = measure(*asked)
            torch.save((found.importance, found.losses), kept)
        return Measured(*torch.load(kept))

    @torch.inference_mode()
    def _logits(self) -> Iterator[Tensor]:
        for ids in self._slices:
            yield self.model(torch.tensor([ids[:-1]])).logits[0].float()


def _dense(checkpoint: Checkpoint, name: str) -> Tensor:
    return dense(checkpoint.read(name))


def dense_size(shape: tuple[int, ...]) -> int:
    """Values of a matrix."""
    return shape[0] * shape[1]


def peer_copy(bench: Bench, name: str, python: str) -> tuple[Weights, float]:
    """The matrices that llama.cpp makes in one of its formats, and their bits a weight."""
    made = bench.folder / f"{name}.gguf"
    if not made.exists():
        part = made.with_suffix(".part")
        ran = subprocess.run(
            [python, "-c", PEER, str(write_exact(bench)), str(part), str(PEERS[name])],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if ran.returncode:
            raise SystemExit(ran.stderr[-2000:])
        part.rename(made)
    view = hub_view(open_checkpoint(made))
    assert view is not None
    read = gguf.GGUFReader(made)
    layers = [t for t in read.tensors if t.name.startswith("blk.") and len(t.shape) == 2]
    bits = 8 * sum(int(t.n_bytes) for t in layers) / sum(int(t.n_elements) for t in layers)
    return {name: partial(_dense, view, name) for name in bench.names}, bits


def write_exact(bench: Bench) -> Path:
    """The source as a GGUF file of float32."""
    config, path = bench.model.config, bench.folder / "exact.gguf"
    if config.model_type == "llama":
        metadata = metadata_of(config)
        heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
        return write_gguf(path, bench.model, "llama", metadata, interleave=heads)
    rope = config.rope_parameters["full_attention"]
    metadata = metadata_of(SimpleNamespace(**{**config.to_dict(), "rope_parameters": rope}))
    metadata |= {
        "attention.key_length": config.head_dim,
        "attention.value_length": config.head_dim,
        "attention.sliding_window": config.sliding_window,
    }
    return write_gguf(path, bench.model, "gemma3", metadata, norms_hold_one=True)


class Rows:
    """The table's rows; those that the folder knows already are not measured again."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._path = bench, bench.folder / "rows.json"
        self._known = json.loads(self._path.read_text()) if self._path.is_file() else {}

    def all(self, python: str | None) -> Iterator[Row]:
        """All ways, those of one size after each other."""
        for name, bits, weights in self.ways(python):
            yield self._row(name, bits, weights)

    def ways(
        self, python: str | None, only: Container[str] = WAYS
    ) -> Iterator[tuple[str, float, Weights]]:
        """Each way's name, bits a weight and matrices, in the table's order."""
        bench, shares = self._bench, set[float]()
        for name in (name for name in PEERS if python and name in only):
            weights, bits = peer_copy(bench, name, str(python))
            shares.add(max(0.0, (bits - PRESETS["4"].scheme.bits_per_weight) / 4))
            yield f"llama.cpp {name}", bits, weights
        shares = shares or {PRESETS["4"].kept_share}
        for share in sorted(shares, reverse=True):  # the first looks at what to keep
            weights, stored = bench.copy(Method.SEARCH, share)
            bits = bench.bits(stored)
            if "nearest" in only:
                yield "nearest", bits, bench.nearest(stored)
            if "recipe" in only:
                yield "recipe", bits, weights
            others = [Method.GPTQ] + [Method.AWQ] * (share == min(shares))
            for method in (method for method in others if method.value in only):
                weights, stored = bench.copy(method, share)
                yield method.value, bench.bits(stored), weights

    def _row(self, name: str, bits: float, weights: Weights) -> Row:
        key = f"{name} {bits:.3f}"
        if key not in self._known:
            self._known[key] = asdict(self._bench.like(weights))
            self._path.write_text(json.dumps(self._known, indent=1))
        return Row(name, bits, Likeness(**self._known[key]))


def off_grid(weight: Tensor, random: torch.Generator) -> Tensor:
    """Each value at a random place within the step of its group of 32."""
    groups = weight.reshape(-1, GRID)
    apart = groups.sort(-1).values.diff(dim=-1)
    span = groups.amax(-1, keepdim=True) - groups.amin(-1, keepdim=True)
    step = torch.where(apart > span / 200, apart, span).amin(-1, keepdim=True)
    return (groups + (torch.rand(groups.shape, generator=random) - 0.5) * step).view(weight.shape)


def held_out(path: Path, each: int) -> list[list[int]]:
    """Slices of the held-out texts in a GGUF file's tokens, so many of each text."""
    text = open_text(path, open_checkpoint(path).metadata)
    found = []
    for name in HELD_OUT:
        words = (TEXTS / name).read_text("utf-8")
        found += pieces(text, words, SLICE + 1, again=1)[: each // SLICE]
    return found


def write_real(path: Path, into: Path, scattered: bool) -> Source:
    """A GGUF file as a folder of bf16."""
    if (into / "config.json").is_file():
        return open_source(into)
    found, random = open_source(path), torch.Generator().manual_seed(5)
    tensors = {}
    for name in found.checkpoint.names():
        tensor = found.plain(name)
        if scattered and is_rounded(name, tuple(tensor.shape)):
            tensor = off_grid(found.float(name), random).to(tensor.dtype)
        tensors[name] = tensor.contiguous()
    into.mkdir(exist_ok=True)
    save_file(tensors, into / "model.safetensors", metadata={"format": "pt"})
    found.write_text(into)
    (into / "config.json").write_text(json.dumps(found.values), "utf-8")
    return open_source(into)


def write_outliers(into: Path) -> tuple[Source, list[list[int]]]:
    """Random weights, some channels of the norms twelve times as large; random tokens."""
    if not into.exists():
        write_llama(into, layers=4, hidden_size=512, intermediate_size=1024)
    random = torch.Generator().manual_seed(9)
    ids = torch.randint(0, 160, (8, SLICE), generator=random)
    return source_of(into, ids), torch.randint(0, 160, (4, SLICE), generator=random).tolist()


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Bench]:
    """The bench for what was asked."""
    with ExitStack() as stack:
        name = f"{Path(options.model).stem}{'-off-grid' if options.off_grid else ''}"
        folder = (
            Path(stack.enter_context(tempfile.TemporaryDirectory()))
            if options.folder is None
            else options.folder / name
        )
        folder.mkdir(parents=True, exist_ok=True)
        into = folder / "source"
        if options.model == "outliers":
            source, slices = write_outliers(into)
        else:
            source = write_real(Path(options.model), into, options.off_grid)
            slices = held_out(Path(options.model), options.tokens)
        yield Bench(source, slices, folder)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a GGUF file, or: outliers")
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter with llama-cpp-python")
    parser.add_argument("--off-grid", action="store_true")
    parser.add_argument("--tokens", type=int, default=3 * SLICE, help="of each of two texts")
    parser.add_argument("--folder", type=Path, help="keeps what is made, to go on there")
    options = parser.parse_args()
    print("| rounding | bits a weight | KL, nats a token | same first choice | perplexity |")
    print("| --- | --- | --- | --- | --- |")
    with opened(options) as bench:
        for row in Rows(bench).all(options.peer):
            like = row.like
            print(
                f"| {row.name} | {row.bits:.2f} | {like.divergence:.4f} | {like.same_top:.1%} "
                f"| {like.perplexity:.2f} ({like.source_perplexity:.2f}) |", flush=True,
            )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
