"""The contract between a window and an engine: commands go down, events come up.

Everything here is a frozen dataclass of plain, picklable values, so that the engine may live on a
thread today and in another process tomorrow without a line of the window changing. Standard
library only: a window that imports this module loads neither torch nor numpy.

Laws that every engine, real or double, obeys:

* every request ends in exactly one terminal event, ``Finished`` or ``Failed``, and nothing follows
it;
* the text deltas of a channel, joined, are the whole text of that channel;
* a cancelled request ends in ``Finished`` with ``FinishReason.CANCELLED`` and keeps the text it
had;
* a bug inside a request arrives as ``Failed`` with ``FaultKind.INTERNAL``, and the next request
works.

The engine never phrases anything for a user: a fault is a kind with figures. Sentences are the
window's.
"""

from engine.contract.commands import (
    Command,
    Complete,
    Constraint,
    ConstraintKind,
    CountTokens,
    Generate,
    GenerateSettings,
    Inspect,
    Load,
    LoadSettings,
    Message,
    Priority,
    ReadPrompt,
    RenderPrompt,
    Role,
    Sampling,
    SamplingOrder,
    Thinking,
    ToolCall,
    Unload,
)
from engine.contract.events import (
    Channel,
    CommandRunner,
    Event,
    Failed,
    Finished,
    FinishReason,
    Loaded,
    Memory,
    Metrics,
    ModelFacts,
    Progress,
    PromptPage,
    PromptRendered,
    Stage,
    Support,
    TerminalEvent,
    TextDelta,
    Timings,
    TokensCounted,
    Usage,
)
from engine.contract.faults import (
    EngineError,
    Fault,
    FaultKind,
    Figure,
    Notice,
    NoticeKind,
)
from engine.contract.inspection import (
    Candidate,
    PromptToken,
    SamplerStep,
    StepTrace,
    TokenChoice,
    TokenTrace,
)
from engine.contract.templates import TemplateFlaw

__all__ = [
    "Candidate",
    "Channel",
    "Command",
    "CommandRunner",
    "Complete",
    "Constraint",
    "ConstraintKind",
    "CountTokens",
    "EngineError",
    "Event",
    "Failed",
    "Fault",
    "FaultKind",
    "Figure",
    "FinishReason",
    "Finished",
    "Generate",
    "GenerateSettings",
    "Inspect",
    "Load",
    "LoadSettings",
    "Loaded",
    "Memory",
    "Message",
    "Metrics",
    "ModelFacts",
    "Notice",
    "NoticeKind",
    "Priority",
    "Progress",
    "PromptPage",
    "PromptRendered",
    "PromptToken",
    "ReadPrompt",
    "RenderPrompt",
    "Role",
    "SamplerStep",
    "Sampling",
    "SamplingOrder",
    "Stage",
    "StepTrace",
    "Support",
    "TemplateFlaw",
    "TerminalEvent",
    "TextDelta",
    "Thinking",
    "Timings",
    "TokenChoice",
    "TokenTrace",
    "TokensCounted",
    "ToolCall",
    "Unload",
    "Usage",
]
