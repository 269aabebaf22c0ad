"""Jinja as chat templates on the hub expect it, sandboxed and limited.

The dialect is transformers' (``utils/chat_template_utils.py`` documents it): ``trim_blocks``,
``lstrip_blocks``, loop controls, ``{% generation %}`` blocks, ``raise_exception``,
``strftime_now``, and a ``tojson`` that does not escape for HTML. On top, every loop, call,
operation and filter is metered by a ``Budget``, which travels in the rendering's variables under a
name that no template can spell.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import pass_context

from engine.contract import EngineError, FaultKind
from engine.text.sentinels import SENTINELS
from engine.text.template_limits import Budget, check_numbers

BUDGET = "the budget"  # with a space: not a name that a template can write
_METER, _JOIN, _CHECK = "metered", "joined", "checked"


class _Generation(Extension):
    """``{% generation %}`` marks what training learns from; for a prompt it is transparent."""

    tags = {"generation"}  # noqa: RUF012  Jinja's own class declares it so

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """The block's own content."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _Environment(ImmutableSandboxedEnvironment):
    """A sandbox whose every step draws from the rendering's budget."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Parse, and put a meter on each loop, each joining and each capture of texts."""
        tree = super()._parse(source, name, filename)
        for block in tree.find_all(nodes.AssignBlock):
            block.filter = nodes.Filter(
                block.filter, _CHECK, [], [], None, None, lineno=block.lineno
            )
        for loop in tree.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, _METER, [], [], None, None, lineno=loop.lineno)
        _replace_joins(tree)
        return tree

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        budget = _budget(context)
        budget.draw()
        check_numbers(*args, *kwargs.values())
        # the sandbox wraps str.format; what it belongs to is behind the wrapper
        owner = getattr(getattr(obj, "__wrapped__", obj), "__self__", None)
        budget.multiply(getattr(obj, "__name__", ""), owner, (*args, *kwargs.values()))
        return budget.check(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        _budget(context).operate(operator, left, right)
        return super().call_binop(context, operator, left, right)


def _budget(context: Context) -> Budget:
    budget: Budget = context.parent[BUDGET]
    return budget


def _replace_joins(node: nodes.Node) -> None:
    """Turn every ``a ~ b`` below ``node`` into a metered joining."""
    for field, value in node.iter_fields():
        if isinstance(value, list):
            swapped = [_replaced(item) if isinstance(item, nodes.Node) else item for item in value]
            setattr(node, field, swapped)
        elif isinstance(value, nodes.Node):
            setattr(node, field, _replaced(value))


def _replaced(node: nodes.Node) -> nodes.Node:
    _replace_joins(node)
    if not isinstance(node, nodes.Concat):
        return node
    texts = nodes.List(node.nodes, lineno=node.lineno)
    return nodes.Filter(texts, _JOIN, [], [], None, None, lineno=node.lineno)


@pass_context
def _metered(context: Context, items: Any) -> Iterable[Any]:
    """What a loop runs over, metered; undefined stays what it is and runs over nothing."""
    if isinstance(items, (str, list, tuple, dict)):
        _budget(context).steps -= len(items)
        _budget(context).draw()
        return items
    return _budget(context).meter(items)


@pass_context
def _joined(context: Context, items: list[Any]) -> str:
    """The texts of ``a ~ b ~ c``."""
    budget = _budget(context)
    budget.draw()
    return str(budget.check("".join(map(str, items))))


@pass_context
def _checked(context: Context, text: str) -> Any:
    """A captured text."""
    return _budget(context).check(text)


def _guarded(inner: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that draws from the budget and builds nothing too large."""
    passes = getattr(inner, "jinja_pass_arg", None)

    @pass_context
    def guarded(context: Context, *args: Any, **kwargs: Any) -> Any:
        budget = _budget(context)
        budget.draw()
        check_numbers(*args, *kwargs.values())
        if args:
            name = inner.__name__.removeprefix("do_")
            budget.multiply(name, args[0], (*args[1:], *kwargs.values()))
        leading = _leading(context, "" if passes is None else passes.name)
        return budget.check(inner(*leading, *args, **kwargs))

    return guarded


def _leading(context: Context, passes: str) -> tuple[Any, ...]:
    """The argument that a filter asks for before its others."""
    match passes:
        case "context":
            return (context,)
        case "eval_context":
            return (context.eval_ctx,)
        case "environment":
            return (context.environment,)
        case _:
            return ()


def _raise_exception(message: str) -> NoReturn:
    """What templates call to refuse a conversation."""
    raise EngineError(FaultKind.TEMPLATE_REFUSED, detail=str(message))


def _strftime_now(format: str) -> str:
    """The local time, by ``strftime``'s codes."""
    return datetime.now().strftime(format)  # the user's own clock is meant


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON, never escaped for HTML; characters that sentinels are made of are never escaped."""
    text = json.dumps(
        value, ensure_ascii=False, indent=indent, separators=separators, sort_keys=sort_keys
    )
    return "".join(map(_escaped, text)) if ensure_ascii else text


def _escaped(character: str) -> str:
    plain = character.isascii() or ord(character) in SENTINELS
    return character if plain else json.dumps(character)[1:-1]


@lru_cache(maxsize=1)
def environment() -> jinja2.Environment:
    """The one environment; it holds no state of any rendering."""
    made = _Environment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
    )
    made.filters["tojson"] = _tojson
    made.filters = {name: _guarded(inner) for name, inner in made.filters.items()}
    made.filters |= {_METER: _metered, _JOIN: _joined, _CHECK: _checked}
    made.globals |= {"raise_exception": _raise_exception, "strftime_now": _strftime_now}
    return made
