"""One request behind the guard: its question first, then its reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.contract import (
    CommandRunner,
    Complete,
    EngineError,
    Event,
    Failed,
    Finished,
    Generate,
    NoticeKind,
    Role,
    TextDelta,
)
from engine.safety.protection import Protection
from engine.safety.questions import Asked, QuestionCheck, notices_of
from engine.safety.replies import ReplyCheck


def guarded(
    inner: CommandRunner, command: Asked, cancelled: Callable[[], bool], protection: Protection
) -> Iterator[Event | None]:
    """Run a command of an engine, with its question and its reply looked through.

    Raises:
        EngineError: INPUT_REFUSED, POLICY_INVALID, RULES_INVALID, AUDIT_UNWRITABLE, and the
            engine's.
    """
    notices = protection.check_ready()
    question = QuestionCheck(protection, command.request)
    command = question.checked(command)
    notices += notices_of(question.met, NoticeKind.INPUT_MASKED, NoticeKind.INPUT_WARNED)
    reply = ReplyCheck(protection, command.request, _begun(command))
    events = inner.run(command, lambda: reply.stopped_by is not None or cancelled())
    try:
        for event in events:
            match event:
                case TextDelta():
                    yield None  # text may wait: the turn goes back all the same
                    yield from reply.text(event)
                case Finished():
                    yield from reply.rest()
                    yield reply.end(event, notices)
                case Failed():
                    yield from reply.rest()
                    yield event
                case _:
                    yield event
    except EngineError:
        yield from reply.rest()
        raise


def _begun(command: Asked) -> str:
    """What the answer goes on from."""
    if isinstance(command, Complete):
        return command.prompt
    if isinstance(command, Generate) and command.continue_reply and command.messages:
        last = command.messages[-1]
        return last.content if last.role is Role.ASSISTANT else ""
    return ""
