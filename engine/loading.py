"""From a path to a model that is ready: facts first, memory before it is spent, then the weights.

Nothing is read before the files are known to be a model that fits. The context is the model's own
as far as memory allows; where it does not, the notice says by how much.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import torch

from engine.background_work import Report, run_reporting
from engine.cache_check import TEXT, cache_notices
from engine.contract import (
    EngineError,
    Event,
    FaultKind,
    Load,
    LoadSettings,
    Memory,
    ModelFacts,
    Notice,
    NoticeKind,
    Progress,
    Stage,
    Support,
)
from engine.device import give_back, out_of_memory_named, peak_resident_bytes
from engine.families.model import Model
from engine.families.registry import build
from engine.generation.pages import PageTable
from engine.generation.scheduler import Sequence, Share, Step
from engine.kernels.choose import default_threads, most_threads
from engine.kernels.groups import group_windows
from engine.kernels.interface import CachePool, Kernels
from engine.library.architectures import GGUF_ARCHITECTURES, MODEL_TYPES
from engine.library.compatible import compatible_types
from engine.library.memory import (
    MemoryNeed,
    cache_tokens,
    memory_needed,
    spare_tokens,
    window_tokens,
)
from engine.library.runtime.place import runtime_notices
from engine.loaded import LoadedModel
from engine.machine import Machine
from engine.pace import LEAST
from engine.runner import ModelRunner
from engine.storage.open import open_checkpoint
from engine.text.model_text import ModelText, open_text

PAGE_TOKENS = 32
LEAST_CONTEXT = 2048
"""With less than this (or the model's own, if that is less) a model is not worth loading."""

_CACHE_SHARE = 0.5
"""Of the memory that the weights leave free, so that the rest of the machine keeps working."""


@dataclass(frozen=True, slots=True)
class ContextPlan:
    """How long a conversation may be, and what had to be given up for it.

    Attributes:
        context: tokens.
        pool: tokens that the cache holds: the context, and what memory spares beyond it.
        need: memory with that pool.
        notices: CONTEXT_REDUCED, or nothing.
    """

    context: int
    pool: int
    need: MemoryNeed
    notices: tuple[Notice, ...] = ()


def plan_context(facts: ModelFacts, settings: LoadSettings, free: int) -> ContextPlan:
    """Choose the context by the model, the wish and the free memory.

    Args:
        facts: of the model.
        settings: the wished context (None is the model's own) and the bits of the cache.
        free: bytes that may be taken.

    Raises:
        EngineError: MEMORY_SHORT if not even a short conversation fits; SETTING_INVALID.
    """
    if settings.cache_bits not in {8, 16}:
        raise _setting("cache_bits", settings.cache_bits, "8, 16")
    if settings.context is not None and settings.context < PAGE_TOKENS:
        raise _setting("context", settings.context, f">= {PAGE_TOKENS}")
    own = facts.context_length or LEAST_CONTEXT
    wanted = settings.context or own
    possible = min(wanted, own)
    least = memory_needed(facts, min(possible, LEAST_CONTEXT), settings.cache_bits)
    if least.total > free:
        context = min(possible, LEAST_CONTEXT)
        raise EngineError(FaultKind.MEMORY_SHORT, needed=least.total, free=free, context=context)
    share = 1.0 if settings.context is not None else _CACHE_SHARE
    size = int((free - least.weights - least.workspace) * share)
    affordable = cache_tokens(facts, size, settings.cache_bits)
    context = min(possible, max(affordable, min(possible, LEAST_CONTEXT)))
    if context < possible:
        context -= context % 256
    spare = spare_tokens(context, affordable)
    notice = Notice(NoticeKind.CONTEXT_REDUCED, {"wanted": wanted, "context": context})
    notices = (notice,) if context < wanted else ()
    need = memory_needed(facts, context + spare, settings.cache_bits)
    return ContextPlan(context, context + spare, need, notices)


def _setting(name: str, value: int, allowed: str) -> EngineError:
    return EngineError(FaultKind.SETTING_INVALID, name=name, value=value, allowed=allowed)


def _unsupported(facts: ModelFacts) -> EngineError:
    """Name what cannot be run here: the architecture, or the form of the weights."""
    path = str(facts.path)
    if not facts.writes:
        return EngineError(FaultKind.MODEL_WRITES_NOT, path=path)
    if facts.architecture in MODEL_TYPES | GGUF_ARCHITECTURES | compatible_types():
        return EngineError(
            FaultKind.QUANTIZATION_UNSUPPORTED, path=path, quantization=facts.quantization
        )
    return EngineError(FaultKind.ARCHITECTURE_UNKNOWN, path=path, architecture=facts.architecture)


def load_model(command: Load, facts: ModelFacts) -> Generator[Event, None, LoadedModel]:
    """Load a model of known facts, telling how far it is; the generator returns it.

    Raises:
        EngineError: whatever is wrong with the weights, the device, the settings or the memory.
    """
    settings, reduced = with_threads_that_run(command.settings, most_threads())
    if facts.support is Support.UNSUPPORTED:
        raise _unsupported(facts)
    machine = Machine(settings)
    kernels = machine.first
    plan = plan_context(facts, settings, machine.free)
    threads = settings.threads or default_threads()
    # The kernels bring a pool of their own; two pools that spin at the same time halve the speed.
    torch.set_num_threads(1 if kernels.name == "cpu" else threads)

    yield from run_reporting(
        kernels.warm_up, lambda done, total: Progress(command.request, Stage.COMPILING, done, total)
    )
    loaded = yield from run_reporting(
        lambda report: _read(facts, machine, plan, settings, threads, report),
        lambda done, total: Progress(command.request, Stage.READING, done, total),
    )
    if any(n.kind is NoticeKind.COMPATIBILITY_MODE for n in loaded.notices):
        torch.set_num_threads(threads)  # transformers' code computes in torch's own pool
    if settings.cache_bits == 8:
        ids = loaded.text.raw(TEXT)
        told = cache_notices(loaded.model, machine, loaded.kernels.device, ids)
        loaded = replace(loaded, notices=(*loaded.notices, *told))
    yield from _warm_up(command.request, loaded)
    return replace(loaded, notices=(*reduced, *loaded.notices))


def with_threads_that_run(
    settings: LoadSettings, most: int
) -> tuple[LoadSettings, tuple[Notice, ...]]:
    """The settings with no more threads than run at once, and a notice where that changed them.

    64 threads on two cores decode at a thirtieth of the speed of two: at every barrier all wait
    for those that wait for a core.
    """
    if settings.threads is None or settings.threads <= most:
        return settings, ()
    notice = Notice(NoticeKind.THREADS_REDUCED, {"wanted": settings.threads, "threads": most})
    return replace(settings, threads=most), (notice,)


def _read(
    facts: ModelFacts,
    machine: Machine,
    plan: ContextPlan,
    settings: LoadSettings,
    threads: int,
    report: Report,
) -> LoadedModel:
    """Read weights, tokenizer and template, and allocate the cache."""
    checkpoint = open_checkpoint(facts.path)
    text = open_text(facts.path, checkpoint.metadata)
    check_vocabulary(facts, text)
    give_back(machine.first.device)  # what the vocabulary was made from: the weights need it most

    def close() -> None:
        machine.close()
        checkpoint.close()

    try:
        with out_of_memory_named(machine.first.device):
            spread = machine.spreads(plan.pool, plan.need.workspace)
            model = build(checkpoint, machine.first, report, plan.context, spread)
            give_back(machine.first.device)  # what the weights were packed from
            cache = make_cache(model, machine, plan.pool, settings.cache_bits)
    except EngineError:
        close()
        raise
    memory = Memory(model.weight_bytes, cache.nbytes, plan.need.workspace, peak_resident_bytes())
    return LoadedModel(
        facts=facts,
        model=model,
        text=text,
        kernels=machine.ends,
        cache=cache,
        context=plan.context,
        memory=memory,
        threads=threads,
        devices=machine.devices,
        notices=(
            *runtime_notices(),
            *plan.notices,
            *machine.notices,
            *model.notices,
            *text.notices,
        ),
        close=close,
    )


def check_vocabulary(facts: ModelFacts, text: ModelText) -> None:
    """Refuse a tokenizer whose ordinary tokens the embedding does not have: another model's.

    Control tokens past the embedding are common (Gemma 3's for images); what a prompt really holds
    is checked again when it is asked.

    Raises:
        EngineError: TOKENIZER_INVALID.
    """
    rows, tokenizer = facts.vocabulary, text.tokenizer
    beyond = set(range(rows, tokenizer.size)) - tokenizer.control.ids if rows else set()
    if beyond:
        detail = f"token {min(beyond)} of {tokenizer.size}, {rows} rows of the embedding"
        raise EngineError(FaultKind.TOKENIZER_INVALID, path=str(facts.path), detail=detail)


def make_cache(model: Model, kernels: Kernels | Machine, pool: int, bits: int) -> CachePool:
    """Pages for ``pool`` tokens; of layers with a sliding window for what these keep.

    Where a window would keep as much as the pool holds anyway, its layers count as the others.

    Raises:
        EngineError: OUT_OF_MEMORY, SETTING_INVALID.
    """
    layers = tuple(
        replace(shape, window=None) if window_tokens(shape.window or pool) >= pool else shape
        for shape in model.cache_layers
    )
    kept = (pool if window is None else window_tokens(window) for window in group_windows(layers))
    # one page more for the copy of a shared page, of a window for both its ends too
    pages = [math.ceil(tokens / PAGE_TOKENS) + (1 if tokens == pool else 4) for tokens in kept]
    return kernels.make_cache(layers, pages, PAGE_TOKENS, bits)


def _warm_up(request: int, loaded: LoadedModel) -> Iterator[Event]:
    """Run the steps that a reply is made of once, so that no kernel is compiled in front of users.

    Their tokens land in pages that nobody knows, and mean nothing.
    """
    runner = ModelRunner(loaded.model, loaded.cache, loaded.kernels.device)
    sizes = (1, LEAST, loaded.pace().budget)
    for done, tokens in enumerate(sizes):
        yield Progress(request, Stage.COMPILING, done, len(sizes))
        count = min(tokens, loaded.context)
        pages = list(range(math.ceil(count / loaded.cache.page_size)))
        tables = [PageTable(pages) for _ in loaded.cache.windows]
        sequence = Sequence([0] * count, count, tables=tables)
        runner.run(Step((Share(sequence, sequence.ids, 0, 1),), ()))
    yield Progress(request, Stage.COMPILING, len(sizes), len(sizes))
