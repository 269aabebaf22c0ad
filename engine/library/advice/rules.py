"""All rules, in the order in which their findings are told."""

from __future__ import annotations

from engine.library.advice import poor, slow, unfit, waiting
from engine.library.advice.facts import Facts
from engine.library.advice.findings import Finding, Level
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
)


def advise(facts: Facts) -> tuple[Finding, ...]:
    """Return what the rules find: what is wrong first, then how things are."""
    told = [finding for rule in RULES if (finding := rule.find(facts)) is not None]
    return tuple(sorted(told, key=lambda finding: finding.level is Level.NATURE))
