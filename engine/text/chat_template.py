"""A model's chat template: compiled once, rendered within a budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError
from jinja2.meta import find_undeclared_variables

from engine.text.template_environment import BUDGET, environment
from engine.text.template_limits import SPARE_CHARACTERS, Budget, refused

_SWITCHES = frozenset({"enable_thinking", "thinking"})


class ChatTemplate:
    """One Jinja chat template.

    Args:
        source: the template's text.

    Attributes:
        source: the template's text.
        has_thinking_switch: whether it asks if the model shall reason.
        takes_tools: whether it reads the tools that are offered.

    Raises:
        EngineError: TEMPLATE_INVALID where it is not valid Jinja; line and message are in detail.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        try:
            # the space makes Jinja notice a comment that is opened at the very end
            tree = environment().parse(f"{source} ")
            self._template = environment().from_string(source)
        except TemplateSyntaxError as error:
            raise refused(f"line {error.lineno}: {error.message}") from error
        except (RecursionError, MemoryError, SyntaxError, ValueError) as error:
            raise refused(f"{type(error).__name__}: {error}") from error
        asked = find_undeclared_variables(tree)
        self.has_thinking_switch = bool(_SWITCHES & asked)
        self.takes_tools = "tools" in asked

    def render(self, variables: Mapping[str, Any], content_characters: int) -> str:
        """The prompt's text.

        Args:
            variables: what the template may read.
            content_characters: length of all that is in it, from which the size limit follows.

        Raises:
            EngineError: TEMPLATE_REFUSED with the template's own words where it refuses this
                conversation; TEMPLATE_INVALID where it fails, does not end, or grows too large.
        """
        limit = 8 * content_characters + SPARE_CHARACTERS
        budget = Budget(limit)
        pieces: list[str] = []
        length = 0
        try:
            for piece in self._template.generate({**variables, BUDGET: budget}):
                length += len(piece)
                if length > limit:
                    raise refused("the template builds too large a text")
                pieces.append(piece)
        except SecurityError as error:
            raise refused(f"not allowed: {error}") from error
        except (TemplateError, ArithmeticError, LookupError, AttributeError) as error:
            raise refused(f"{type(error).__name__}: {error}") from error
        except (TypeError, ValueError, MemoryError, RecursionError) as error:
            raise refused(f"{type(error).__name__}: {error}") from error
        return "".join(pieces)
