"""What the engine is asked for a reply: the messages, and how the chat and the settings want it."""

from __future__ import annotations

from app.chat.conversation import Conversation
from app.chat.inspection import Beginning
from app.chat.inspections import ALTERNATIVES
from app.chat.options import thinking_of
from app.chat.services import Services
from app.chat.turn import Turn
from engine.contract import (
    Constraint,
    ConstraintKind,
    Generate,
    GenerateSettings,
    Inspect,
    Message,
    Thinking,
)
from engine.contract.templates import template_source

_NO_MODEL_CONTEXT = 4096  # tokens; how far back ids are sent while the context is unknown


def generate_command(
    request: int,
    book: Conversation,
    services: Services,
    turn: Turn,
    *,
    continues: bool,
    begins: Beginning | None = None,
) -> Generate:
    """Return the command for a reply; while somebody looks, it asks for figures of each token.

    Args:
        request: its number.
        book: the chat.
        services: the loaded model says how much fits, the settings what holds for every chat.
        turn: the reply to be made.
        continues: whether its text so far is the beginning of it.
        begins: the tokens that it begins with.
    """
    seed = book.options.sampling.seed if book.options.sampling is not None else None
    seen = services.inspections.follow(
        request, turn.id, continues=continues, begins=begins, seed=seed
    )
    return Generate(
        request,
        seen_messages(book, services, turn.id if continues else turn.parent),
        _settings(book, seen),
        thinking=_thinking(book, services),
        continue_reply=continues,
        begins_with=begins.ids if begins is not None else (),
        template=template_source(book.options.template),
    )


def inspect_command(request: int, book: Conversation, services: Services, turn: Turn) -> Inspect:
    """Return the command that computes a reply's figures once more, with the settings of now."""
    return Inspect(
        request,
        seen_messages(book, services, turn.parent),
        book.ids_of(turn),
        _settings(book, ALTERNATIVES),
        thinking=_thinking(book, services),
        template=template_source(book.options.template),
    )


def _settings(book: Conversation, alternatives: int) -> GenerateSettings:
    options = book.options
    return GenerateSettings(
        sampling=options.sampling,
        stop=options.stop,
        max_tokens=options.max_tokens,
        constraint=_constraint(options.schema),
        alternatives=alternatives,
        traces=alternatives > 0,
    )


def _constraint(schema: str) -> Constraint | None:
    return Constraint(ConstraintKind.JSON_SCHEMA, schema) if schema else None


def _thinking(book: Conversation, services: Services) -> Thinking:
    wanted = thinking_of(services.settings.settings.thinking)
    return book.options.thinking or wanted or Thinking.AUTO


def seen_messages(book: Conversation, services: Services, last: int | None) -> tuple[Message, ...]:
    """Return what the engine is to see of a chat, up to and with the turn ``last``."""
    loaded = services.model.state.known
    context = loaded.context if loaded else _NO_MODEL_CONTEXT
    return book.messages(
        last, context, book.options.system or services.settings.settings.system_prompt
    )
