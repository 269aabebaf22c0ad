"""What the engine is asked for a reply: the messages, and how the chat and the settings want it."""

from __future__ import annotations

from app.chat.conversation import Conversation
from app.chat.options import thinking_of
from app.chat.services import Services
from app.chat.turn import Turn
from engine.contract import Generate, GenerateSettings, Message, Thinking

_NO_MODEL_CONTEXT = 4096  # tokens; how far back ids are sent while the context is unknown


def generate_command(
    request: int, book: Conversation, services: Services, turn: Turn, *, continues: bool
) -> Generate:
    """Return the command for a reply.

    Args:
        request: its number.
        book: the chat.
        services: the loaded model says how much fits, the settings what holds for every chat.
        turn: the reply to be made.
        continues: whether its text so far is the beginning of it.
    """
    settings, options = services.settings.settings, book.options
    return Generate(
        request,
        seen_messages(book, services, turn.id if continues else turn.parent),
        GenerateSettings(sampling=options.sampling, max_tokens=options.max_tokens),
        thinking=options.thinking or thinking_of(settings.thinking) or Thinking.AUTO,
        continue_reply=continues,
    )


def seen_messages(book: Conversation, services: Services, last: int | None) -> tuple[Message, ...]:
    """Return what the engine is to see of a chat, up to and with the turn ``last``."""
    loaded = services.model.state.loaded
    context = loaded.context if loaded else _NO_MODEL_CONTEXT
    return book.messages(
        last, context, book.options.system or services.settings.settings.system_prompt
    )
