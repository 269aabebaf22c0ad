"""Whole smaller copies: transformers loads them unchanged, and computes what we compute."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from compressed_tensors.quantization import QuantizationConfig
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import AutoModelForCausalLM

from engine.contract import EngineError, FaultKind
from engine.library.partial_copies import partial_copies, partial_folder
from engine.library.recipes import PRESETS, Method, Recipe, Scheme
from engine.library.scan import scan
from engine.library.sources import Source, SourceKind
from engine.quantization import plan
from engine.quantization.job import Job, Made
from engine.quantization.source import Source as ModelSource
from engine.storage.open import open_checkpoint
from engine.weights import Grouped4, Grouped8
from tests.families.parity import Sequences, loaded
from tests.quantization.models import some_ids, source_of, write_llama

IDS = some_ids(1, seed=11)[:, :40]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("models") / "llama")


def make(folder: Path, target: Path, recipe: Recipe) -> dict[str, Any]:
    return Job(source_of(folder), target, recipe, lambda made: None).run()


@torch.inference_mode()
def theirs(folder: Path) -> Tensor:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    logits: Tensor = model(IDS).logits[0]
    return logits


def ours(folder: Path) -> Tensor:
    run = Sequences(loaded(open_checkpoint(folder), context=64))
    return run.step(("a", IDS[0].tolist()))[0]


@torch.inference_mode()
def divergence(source: Path, copy: Path) -> float:
    exact, found = (theirs(folder).log_softmax(-1) for folder in (source, copy))
    return float((exact.exp() * (exact - found)).sum(-1).mean())


@pytest.mark.parametrize("name", list(PRESETS))
@pytest.mark.parametrize("tied", [False, True])
def test_a_copy_loads_in_transformers_and_computes_what_we_compute(
    tmp_path: Path, name: str, tied: bool
) -> None:
    folder = write_llama(tmp_path / "source", layers=2, tied=tied)
    facts = make(folder, tmp_path / "copy", PRESETS[name])
    copy = tmp_path / "copy"
    assert torch.allclose(ours(copy), theirs(copy), atol=2e-3)
    assert not torch.allclose(theirs(folder), theirs(copy), atol=1e-3)
    assert len(facts["errors"]) == 2
    found = [item for item in scan([Source(SourceKind.ADDED, tmp_path)]) if item.path == copy]
    assert found[0].facts is not None
    assert found[0].facts.size_bytes < 0.8 * size(folder)


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*.safetensors"))


def test_the_configuration_is_one_of_the_package_and_names_every_weight(
    llama: Path, tmp_path: Path
) -> None:
    make(llama, tmp_path / "copy", PRESETS["4"])
    checkpoint = open_checkpoint(tmp_path / "copy")
    config = QuantizationConfig.model_validate(checkpoint.metadata["quantization_config"])
    assert config.format == "pack-quantized"
    targets = {
        target: group.weights.num_bits
        for group in config.config_groups.values()
        for target in group.targets
        if group.weights is not None
    }
    held = {4: Grouped4, 8: Grouped8}
    for module, bits in targets.items():
        assert isinstance(checkpoint.read(f"{module}.weight"), held[bits])
    for layer in range(3):
        at = f"model.layers.{layer}"
        # what vLLM joins into one matrix is stored in one form
        assert len({targets[f"{at}.self_attn.{x}_proj"] for x in "qkv"}) == 1
        assert len({targets[f"{at}.mlp.{x}_proj"] for x in ("gate", "up")}) == 1
    assert targets["lm_head"] == 8


def test_at_equal_bits_search_beats_nearest_and_gptq_beats_search(
    llama: Path, tmp_path: Path
) -> None:
    base = Recipe(Scheme(4, 32))
    found = {}
    for method in Method:
        make(llama, tmp_path / method.value, replace(base, method=method))
        found[method] = divergence(llama, tmp_path / method.value)
    assert found[Method.SEARCH] < 0.6 * found[Method.NEAREST]
    assert found[Method.AWQ] < 0.6 * found[Method.NEAREST]
    assert found[Method.GPTQ] < found[Method.SEARCH]


@pytest.mark.parametrize("method", ["search", "awq", "gptq"])
def test_a_killed_job_goes_on_and_ends_with_the_same_copy(
    llama: Path, tmp_path: Path, method: str
) -> None:
    """The process kills itself in the middle of the second pass, as a power cut would."""
    code = (
        "import os, signal, sys; from dataclasses import replace; from pathlib import Path\n"
        "from engine.quantization.job import Job; from engine.library.recipes import *\n"
        "from tests.quantization.models import source_of\n"
        "def told(made):\n"
        "    if made.stage == 'rounding' and made.done == 2: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"recipe = replace(PRESETS['4'], method=Method('{method}'))\n"
        "Job(source_of(Path(sys.argv[1])), Path(sys.argv[2]), recipe, told).run()\n"
    )
    target = tmp_path / "copy"
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(llama), str(target)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert not target.exists()
    assert [one.target for one in partial_copies(tmp_path)] == [target]
    assert scan([Source(SourceKind.ADDED, tmp_path)]) == []  # nothing unfinished is a model
    seen: list[Made] = []
    recipe = replace(PRESETS["4"], method=Method(method))
    Job(source_of(llama), target, recipe, seen.append).run()
    assert [made.done for made in seen if made.stage == "rounding"] == [2, 3, 4]
    make(llama, tmp_path / "whole", recipe)
    assert torch.equal(theirs(target), theirs(tmp_path / "whole"))
    assert not partial_folder(target).exists()


@pytest.mark.parametrize("method", [Method.SEARCH, Method.GPTQ])
def test_another_text_or_setting_begins_an_interrupted_copy_anew(
    llama: Path, tmp_path: Path, method: Method
) -> None:
    """Files that look the same are not enough: a text is known by the tokens that are read."""
    source, recipe = source_of(llama), replace(PRESETS["4"], method=method)
    others = (
        replace(source, ids=some_ids(seed=8)),
        replace(source, values={**source.values, "rope_theta": 5e5}),
    )
    for number, other in enumerate(others):
        seen: list[Made] = []
        interrupted(source, tmp_path / str(number), recipe)
        Job(other, tmp_path / str(number), recipe, seen.append).run()
        assert [made.done for made in seen if made.stage == "rounding"] == [0, 1, 2, 3, 4]
    Job(others[0], tmp_path / "whole", recipe, lambda made: None).run()
    assert torch.equal(theirs(tmp_path / "0"), theirs(tmp_path / "whole"))


def interrupted(source: ModelSource, target: Path, recipe: Recipe) -> None:
    """Round two layers, then be interrupted."""

    def told(made: Made) -> None:
        if made.stage == "rounding" and made.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Job(source, target, recipe, told).run()


def test_a_full_disk_counts_what_is_written_already(llama: Path, tmp_path: Path) -> None:
    planned = plan.Plan(source_of(llama), PRESETS["8"])
    free = plan.free_at(tmp_path / "copy")
    planned.check_room(tmp_path / "copy")
    with pytest.raises(EngineError):
        planned.check_room(tmp_path / "copy", -free)


def test_a_full_disk_is_known_before_anything_is_written(
    llama: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "free_at", lambda path: 1000)
    with pytest.raises(EngineError) as caught:
        make(llama, tmp_path / "copy", PRESETS["8"])
    assert caught.value.fault.kind is FaultKind.DISK_FULL
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken_is_refused(llama: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    with pytest.raises(EngineError) as caught:
        make(llama, tmp_path / "copy", PRESETS["8"])
    assert caught.value.fault.kind is FaultKind.NAME_TAKEN


@pytest.mark.parametrize(("method", "layers"), [("nearest", 64), ("search", 2), ("gptq", 2)])
def test_memory_stays_below_two_layers_and_a_gibibyte(
    tmp_path: Path, method: str, layers: int
) -> None:
    """64 layers of 10 million weights: 1.3 GB, more than the bound even as they are stored.

    Pages of the source's mapping count. What the others add is one layer's: its inputs and their
    products; it is bounded by what the other layers leave of the gibibyte.
    """
    folder = large(tmp_path / "large", layers)
    bound = 1 << 30 if method == "nearest" else 1 << 29
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from engine.quantization.job import Job; from engine.library.recipes import *\n"
        "from tests.quantization.models import source_of\n"
        "source = source_of(Path(sys.argv[1]))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "Job(source, Path(sys.argv[2]), Recipe(Scheme(4, 128), Method(sys.argv[3])), print).run()\n"
        "print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(folder), str(tmp_path / "copy"), method],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(json.loads((tmp_path / "copy/quantization.json").read_bytes())["errors"]) == layers
    peak = int(ran.stdout.rpartition("peak ")[2]) << 10
    layer = 4 * 10 * (1 << 20)  # in float32
    assert peak < 2 * layer + bound
    assert method != "nearest" or 2 * layer + bound < size(folder)


def large(folder: Path, layers: int) -> Path:
    """A model of equal layers of ten MiB of values, each in a file of its own, as hubs have it."""
    write_llama(folder, layers=1, hidden_size=1024, intermediate_size=2048)
    whole = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": layers}))
    files = [{name: tensor for name, tensor in whole.items() if ".layers." not in name}]
    for layer in range(layers):
        named = {
            name.replace(".0.", f".{layer}."): tensor
            for name, tensor in whole.items()
            if ".layers." in name
        }
        files.append(named)
    places: dict[str, str] = {}
    for number, tensors in enumerate(files):
        file = f"model-{number + 1:05}-of-{len(files):05}.safetensors"
        save_file(tensors, folder / file)
        places |= dict.fromkeys(tensors, file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    return folder
