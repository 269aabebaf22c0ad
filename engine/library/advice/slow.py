"""Why it is slow: the processor and the memory."""

from __future__ import annotations

from engine.contract import NoticeKind, Support
from engine.library.advice.choices import smaller_copy, smaller_here
from engine.library.advice.facts import Facts, Running
from engine.library.advice.findings import Action, Finding, Level, Remedy, Symptom
from engine.library.advice.rule import found
from engine.library.fit import REACHED, expected_speed

READING = 6.0
"""Tokens a second at which a person reads (240 words a minute, 1.4 tokens a word)."""


BESIDE_S = 0.0015
"""Drawing a token and telling of it: 1 to 1.5 ms on the slowest machine measured."""


class FewThreads:
    """At most half of the cores compute because somebody set it so.

    Reading a prompt is arithmetic: its time is in proportion to the threads, so half of them double
    the time to the first word. Above half, what is gained is small, and the choice may be meant.
    """

    name, symptom = "few-threads", Symptom.SLOW

    def find(self, facts: Facts) -> Finding | None:
        """Compare the threads that were set with the cores."""
        running, cores = facts.running, facts.around.cores
        if running is None or not running.by_processor or running.settings.threads is None:
            return None
        if 2 * running.threads > cores:
            return None
        again = Action(Remedy.THREADS_AUTO, cores)
        return found(self, again, threads=running.threads, cores=cores)


class ManyThreads:
    """More threads than cores were set: each step waits for the thread that waits its turn."""

    name, symptom = "many-threads", Symptom.SLOW

    def find(self, facts: Facts) -> Finding | None:
        """Compare the threads that were set with the cores."""
        running, cores = facts.running, facts.around.cores
        if running is None or not running.by_processor or running.settings.threads is None:
            return None
        if running.threads <= cores:
            return None
        again = Action(Remedy.THREADS_AUTO, cores)
        return found(self, again, threads=running.threads, cores=cores)


class BusyProcessor:
    """Other programs use a quarter of all cores or more.

    Every step waits for its slowest thread, so on a machine with few cores one busy program can
    halve the speed; less than a quarter is what a desktop takes anyway, and no news.
    """

    name, symptom = "busy-processor", Symptom.SLOW
    least = 0.25

    def find(self, facts: Facts) -> Finding | None:
        """Look at what others use."""
        running = facts.running
        if running is None or not running.by_processor or facts.around.others < self.least:
            return None
        actions = (Action(Remedy.LOOK_AGAIN), Action(Remedy.MONITOR))
        return found(self, *actions, others_share=facts.around.others, cores=facts.around.cores)


class MemoryShort:
    """The system moves memory to the disk and back, or programs wait for it.

    From 1 MB a second (some 250 pages) or a tenth of the time on: weights are read whole for each
    token, and a page that has to come from a disk takes a thousand times as long. Below, it is
    what any system does with pages that nobody uses.
    """

    name, symptom = "memory-short", Symptom.SLOW
    least_swapped, least_stalled = 1e6, 0.1

    def find(self, facts: Facts) -> Finding | None:
        """Look at what is moved, and at who waits."""
        around, running = facts.around, facts.running
        if around.swapped < self.least_swapped and around.stalled < self.least_stalled:
            return None
        actions = []
        if running is not None and not running.model.server:
            if running.context > 2048 and running.memory.cache > 0.1 * around.memory:
                actions.append(Action(Remedy.CONTEXT, max(2048, running.context // 2)))
            actions += [*smaller_here(facts, running.model), Action(Remedy.UNLOAD)]
        return found(
            self,
            *actions,
            swapped_bytes=round(around.swapped),
            stalled_share=around.stalled,
            free_bytes=around.free,
            memory_bytes=around.memory,
        )


class PowerSaving:
    """The system saves power, or runs on its battery, and the processor is slowed down for it."""

    name, symptom = "power-saving", Symptom.SLOW

    def find(self, facts: Facts) -> Finding | None:
        """Look at the system's own word; on a battery alone it is only likely."""
        around, running = facts.around, facts.running
        if running is None or running.model.server or not (around.saving or around.on_battery):
            return None
        level = Level.CAUSE if around.saving else Level.NATURE
        kind = "saving" if around.saving else "battery"
        return found(self, Action(Remedy.LOOK_AGAIN), level=level, kind=kind)


class GpuUnused:
    """Settings keep layers from a GPU that has room for them."""

    name, symptom = "gpu-unused", Symptom.SLOW

    def find(self, facts: Facts) -> Finding | None:
        """Compare what the GPU would hold with what it may; it must have room for the rest."""
        running, free = facts.running, facts.around.gpus_free
        if running is None or running.model.server or not free:
            return None
        layers, held = running.model.layers, running.settings.gpu_layers
        is_kept = running.settings.device == "cpu" or (held is not None and held < layers)
        inside = 0 if running.by_processor or held is None else held
        rest = running.memory.weights * (1 - inside / max(layers, 1)) + running.memory.cache
        if not is_kept or rest > free:
            return None
        return found(self, Action(Remedy.GPU_AUTO), layers=layers, inside=inside, free_bytes=free)


class SlowKernels:
    """The fast path of the device cannot be used; the engine says why."""

    name, symptom = "slow-kernels", Symptom.SLOW

    def find(self, facts: Facts) -> Finding | None:
        """Look at the engine's notice."""
        running = facts.running
        said = running.notices.get(NoticeKind.KERNELS_SLOW) if running is not None else None
        if said is None:
            return None
        reason, device = str(said.get("reason", "")), str(said.get("device", ""))
        return found(self, Action(Remedy.MODEL_SETTINGS), reason=reason, device=device)


class CompatibleModel:
    """The model runs through transformers' code, for there is no family of our own."""

    name, symptom = "compatible-model", Symptom.SLOW

    def find(self, facts: Facts) -> Finding | None:
        """Look at how it runs."""
        running = facts.running
        if running is None or running.model.support is not Support.COMPATIBLE:
            return None
        architecture = running.model.architecture
        return found(self, Action(Remedy.MODELS), level=Level.NATURE, architecture=architecture)


class LargeModel:
    """The memory cannot deliver the weights faster than a person reads.

    Each token reads all (active) weights once: the memory's speed divided by their size is a limit
    that no setting moves. Above a person's reading speed nobody waits for the text.
    """

    name, symptom = "large-model", Symptom.SLOW

    def find(self, facts: Facts) -> Finding | None:
        """Compare the speed that the memory allows with reading."""
        running, bandwidth = facts.running, facts.around.bandwidth
        if running is None or not running.by_processor or not bandwidth:
            return None
        expected = expected_speed(running.model, bandwidth)
        if not expected or expected >= READING:
            return None
        model = running.model
        actions = (*smaller_here(facts, model), *smaller_copy(model), Action(Remedy.MODELS))
        return found(
            self,
            *actions,
            level=Level.NATURE,
            expected_speed=expected,
            weights_bytes=read_bytes(running),
            bandwidth_bytes=round(bandwidth),
            reading_speed=READING,
        )


def read_bytes(running: Running) -> int:
    """Return the bytes of weights that a token reads."""
    model = running.model
    share = model.active_parameters / model.parameters if model.parameters else 1.0
    return round((model.weight_bytes or model.size_bytes) * share)


def expected_token_s(running: Running, used: int, bandwidth: float) -> float:
    """Return the seconds that a token should take: weights and cache read, and what is beside it.

    Args:
        running: the model.
        used: tokens that the cache holds of the conversation.
        bandwidth: bytes a second.
    """
    cache = used * running.model.cache_bytes_per_token * running.settings.cache_bits / 16
    return (read_bytes(running) + cache) / (REACHED * bandwidth) + BESIDE_S
