"""All rules, in the order in which their findings are told."""

from __future__ import annotations

from engine.contract import Fault
from engine.library.advice import poor, slow, unfit, waiting
from engine.library.advice.facts import Facts
from engine.library.advice.failed import FAILED
from engine.library.advice.findings import Finding, Level, Symptom
from engine.library.advice.rule import Rule

RULES: tuple[Rule, ...] = (
    slow.MemoryShort(),
    slow.BusyProcessor(),
    slow.FewThreads(),
    slow.ManyThreads(),
    slow.GpuUnused(),
    slow.PowerSaving(),
    slow.SlowKernels(),
    waiting.Queued(),
    waiting.NotReused(),
    waiting.LongPrompt(),
    waiting.LongThought(),
    waiting.LongConversation(),
    waiting.BelowExpected(),
    waiting.SlowDisk(),
    slow.LargeModel(),
    slow.CompatibleModel(),
    waiting.OtherServer(),
    poor.Hot(),
    poor.StrongPenalty(),
    poor.OpenTail(),
    poor.Circles(),
    poor.NoTemplate(),
    poor.ForeignTemplate(),
    poor.TurnsLeftOut(),
    poor.CutShort(),
    poor.FewBits(),
    poor.InexactCache(),
    poor.SmallModel(),
    poor.BoundBySchema(),
    poor.StopWords(),
    poor.NoThought(),
    unfit.FitsNow(),
    unfit.LargeWeights(),
    unfit.LongContext(),
    unfit.OthersHold(),
    unfit.GpuFull(),
    unfit.ContextReduced(),
    *FAILED,
)
ADVISED = unfit.FAULTS.union(*(rule.faults for rule in FAILED))
"""The faults that some rule explains: beside them the advisor is offered."""


def symptom_of(fault: Fault) -> Symptom:
    """Return the question that a fault puts."""
    return Symptom.UNFIT if fault.kind in unfit.FAULTS else Symptom.FAILED


def advise(facts: Facts) -> tuple[Finding, ...]:
    """Return what the rules find: what is wrong first, then how things are."""
    told = [finding for rule in RULES if (finding := rule.find(facts)) is not None]
    return tuple(sorted(told, key=lambda finding: finding.level is Level.NATURE))
