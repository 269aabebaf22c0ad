"""How replies begin: as new turns, as ones that go on, or from tokens that are given."""

from __future__ import annotations

from dataclasses import replace

from app.chat.answering import Answering
from app.chat.asking import generate_command, inspect_command
from app.chat.conversation import Conversation
from app.chat.inspection import Beginning
from app.chat.services import Services
from app.chat.turn import Turn, TurnState
from engine.contract import Role


class Replying:
    """Begins the replies of one chat.

    Args:
        book: the chat.
        services: engine, model and settings.
        answering: runs one reply at a time.
    """

    def __init__(self, book: Conversation, services: Services, answering: Answering) -> None:
        self._book, self._services, self._answering = book, services, answering

    def new_turn(self, parent: int | None, prefill: str = "") -> Turn:
        """Make a reply's turn that is not in the tree yet; ``prefill`` is how it has to begin."""
        loaded = self._services.model.state.known
        return replace(
            self._book.new_turn(parent, Role.ASSISTANT, prefill),
            state=TurnState.STREAMING,
            model=loaded.model.name if loaded else "",
        )

    def reopen(self, turn: int) -> Turn:
        """Let a reply that ended go on; the tree shows it as one that is being written."""
        old = self._book.tree.get(turn)
        going_on = replace(old, state=TurnState.STREAMING, fault=None, ids=self._book.ids_of(old))
        self._book.put(replace(going_on, figures=None))  # a kill leaves text that they are not of
        return going_on

    def start(self, turn: Turn, *, continues: bool, begins: Beginning | None = None) -> None:
        """Hand a reply to the engine as soon as everything so far is on disk."""
        book, services = self._book, self._services
        self._answering.start(
            turn,
            lambda request: generate_command(
                request, book, services, turn, continues=continues, begins=begins
            ),
            book.store.database.posted,
        )

    def look_back(self, turn: int) -> None:
        """Compute the figures of a reply once more that was made while nobody looked."""
        book, services = self._book, self._services
        reply = book.tree.get(turn)
        services.inspections.look_back(
            turn,
            lambda request: inspect_command(request, book, services, reply),
            reply.figures.reused_tokens if reply.figures is not None else None,
        )

    def has_ids(self, turn: int) -> bool:
        """Tell whether the tokens of a reply are known, so that its figures can be computed."""
        return bool(self._book.ids_of(self._book.tree.get(turn)))
