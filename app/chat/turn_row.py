"""Turns on their way to the store and back.

Back is lenient: a state, a role or a figure that nobody knows costs that value and never the chat.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from app.chat.attachment import attachments_of, attachments_text
from app.chat.turn import Turn, TurnFigures, TurnState
from app.store.rows import LOST, TurnRow
from engine.contract import Fault, FaultKind, Notice, NoticeKind, Role

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_Kind = TypeVar("_Kind", bound=StrEnum)
_ROLES = {role.value: role for role in Role}
_STATES = {state.value: state for state in TurnState}
_FAULTS = {kind.value: kind for kind in FaultKind}
_NOTICES = {kind.value: kind for kind in NoticeKind}
_FAR = 253_402_300_799_000_000  # microseconds: the last moment a datetime can hold


def now() -> datetime:
    """Return the present moment, in UTC."""
    return datetime.now(UTC)


def microseconds(moment: datetime) -> int:
    """Return a moment as whole microseconds since 1970, UTC."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment(microseconds: int) -> datetime:
    """Return the moment of so many microseconds since 1970; 1970 itself for nonsense."""
    return _EPOCH + timedelta(microseconds=microseconds if 0 <= microseconds < _FAR else 0)


def row_of(turn: Turn) -> TurnRow:
    """Return a turn as its row."""
    return TurnRow(
        id=turn.id,
        chat=turn.chat,
        parent=turn.parent,
        role=turn.role.value,
        content=turn.content,
        reasoning=turn.reasoning,
        tool_calls=turn.tool_calls,
        state=turn.state.value,
        created=microseconds(turn.created),
        model=turn.model,
        figures=json.dumps(asdict(turn.figures)) if turn.figures else "",
        fault=_fault_text(turn.fault) if turn.fault else "",
        ids=turn.ids,
        attachments=attachments_text(turn.attachments),
    )


def turn_of(row: TurnRow) -> Turn:
    """Return a row as its turn."""
    lost = row.state == LOST
    return Turn(
        id=row.id,
        chat=row.chat,
        parent=row.parent,
        role=_ROLES.get(row.role, Role.ASSISTANT),
        content=row.content,
        reasoning=row.reasoning,
        tool_calls=row.tool_calls,
        state=TurnState.FAILED if lost else _STATES.get(row.state, TurnState.COMPLETE),
        created=moment(row.created),
        model=row.model,
        figures=_figures(row.figures),
        fault=Fault(FaultKind.FILE_DAMAGED, {"path": "", "detail": LOST}) if lost else _fault(row),
        ids=row.ids,
        attachments=attachments_of(row.attachments),
    )


def _fault_text(fault: Fault) -> str:
    return json.dumps({"kind": fault.kind.value, "figures": dict(fault.figures)})


def _fault(row: TurnRow) -> Fault | None:
    value = _object(row.fault)
    kind = _FAULTS.get(str(value.get("kind", "")))
    if kind is None:
        return Fault(FaultKind.INTERNAL, {"detail": row.fault}) if row.fault else None
    figures = value.get("figures")
    known = figures.items() if isinstance(figures, dict) else ()
    return Fault(kind, {name: each for name, each in known if isinstance(each, int | float | str)})


def _figures(text: str) -> TurnFigures | None:
    value = _object(text)
    if not value:
        return None
    return TurnFigures(
        tokens_per_second=_float(value, "tokens_per_second") or None,
        time_to_first_token_s=_float(value, "time_to_first_token_s"),
        prompt_tokens=int(_float(value, "prompt_tokens")),
        reused_tokens=int(_float(value, "reused_tokens")),
        generated_tokens=int(_float(value, "generated_tokens")),
        reasoning_tokens=int(_float(value, "reasoning_tokens")),
        reasoning_s=_float(value, "reasoning_s"),
        total_s=_float(value, "total_s"),
        left_out_turns=int(_float(value, "left_out_turns")),
        queue_s=_float(value, "queue_s"),
        prefill_s=_float(value, "prefill_s"),
        beside_server=value.get("beside_server") is True,
        checked=_checked(value.get("checked")),
    )


def _checked(value: object) -> tuple[Notice, ...]:
    """What the safety layer did; what a newer program noted is left out."""
    given = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    return tuple(
        Notice(_NOTICES[kind], {n: f for n, f in figures.items() if isinstance(f, int | str)})
        for each in given
        if (kind := str(each.get("kind"))) in _NOTICES
        and isinstance(figures := each.get("figures"), dict)
    )


def _object(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _float(value: dict[str, Any], name: str) -> float:
    number = value.get(name)
    if isinstance(number, int | float) and math.isfinite(number):
        return float(number)
    return 0.0
