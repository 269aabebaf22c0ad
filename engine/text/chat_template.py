"""A model's chat template: compiled once, rendered within a budget."""

from __future__ import annotations

from collections.abc import Mapping
from traceback import extract_tb
from typing import Any

from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.meta import find_undeclared_variables

from engine.contract import TemplateFlaw
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
            words = error.message or type(error).__name__
            raise refused(words, TemplateFlaw.SYNTAX, error.lineno) from error
        except (RecursionError, MemoryError, SyntaxError, ValueError) as error:
            raise refused(_words(error), TemplateFlaw.SYNTAX) from error
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
                    raise refused("the template builds too large a text", TemplateFlaw.LARGE)
                pieces.append(piece)
        except SecurityError as error:
            raise refused(f"not allowed: {error}", TemplateFlaw.FORBIDDEN, _line(error)) from error
        except UndefinedError as error:
            raise refused(str(error), TemplateFlaw.UNDEFINED, _line(error)) from error
        except (TemplateError, ArithmeticError, LookupError, AttributeError) as error:
            raise refused(_words(error), TemplateFlaw.FAILING, _line(error)) from error
        except (TypeError, ValueError, MemoryError, RecursionError) as error:
            raise refused(_words(error), TemplateFlaw.FAILING, _line(error)) from error
        return "".join(pieces)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _line(error: Exception) -> int:
    """The template's line in which running it failed; 0 where none is known."""
    places = extract_tb(error.__traceback__)
    lines = [place.lineno or 0 for place in places if place.filename == "<template>"]
    return lines[-1] if lines else 0
