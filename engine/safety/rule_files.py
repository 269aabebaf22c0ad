"""Rule lists as YAML files: read strictly, and what is wrong is told with its line.

    list: rude                       # its name
    profiles: [family]               # where it holds; left out: wherever anything is checked
    sides: [input, output]           # left out: both
    action: mask                     # warn, mask or stop
    words:
      - damn*
      - {word: 性交, except: [异性交往], action: stop}
    patterns:
      - {name: keys, regex: "AKIA[0-9A-Z]{16}"}
    personal:
      - email
      - {kind: phone, regions: [CN, US]}

A mistake costs its rule, never the rest of the file, and never passes in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import re2
import yaml

from engine.safety.fold import Folding
from engine.safety.personal import KINDS
from engine.safety.problems import Problem
from engine.safety.rules import Action, Rule, Side, compiled, pattern_finder
from engine.safety.words import word_rule

MOST_BYTES = 4 << 20
PATTERN_WIDTH = 128
"""So many characters a pattern sees as a whole unless it says otherwise (``longest``)."""

_LONGEST_PATTERN = 240
_HEAD = frozenset({"list", "profiles", "sides", "action", "words", "patterns", "personal"})
_REGIONS = ("CN", "US")


class _Wrong(Exception):
    """A mistake at a node."""

    def __init__(self, node: Any, reason: str) -> None:
        super().__init__(reason)
        self.line = node.start_mark.line + 1
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Context:
    """What holds for the rules of a list unless they say otherwise."""

    group: str
    action: Action
    sides: frozenset[Side]


_Reader = Callable[[Any, _Context, Folding], Rule]


@dataclass(slots=True)
class RuleFile:
    """What a file says.

    Attributes:
        profiles: in which it holds; empty is everywhere.
        rules: the good ones.
        problems: the others.
    """

    path: Path
    profiles: frozenset[str]
    rules: list[Rule]
    problems: list[Problem]


def read_rules(path: Path, folding: Folding) -> RuleFile:
    """Read a file; whatever is wrong with it becomes a problem."""
    found = RuleFile(path, frozenset(), [], [])
    try:
        root = _root(path)
        if root is None:
            return found
        parts = _mapping(root)
        _check_keys(root, _HEAD)
        found.profiles = (
            frozenset(_texts(parts["profiles"])) if "profiles" in parts else found.profiles
        )
        context = _context(path, parts)
    except _Wrong as wrong:
        found.problems.append(Problem(path, wrong.line, wrong.reason))
        return found
    for key, read in _READERS.items():
        if key in parts:
            _read_each(parts[key], partial(_given, read, context, folding), found)
    return found


def _root(path: Path) -> Any:
    """The file's root node; None where it is empty.

    Raises:
        _Wrong: it cannot be read, or is no YAML.
    """
    nowhere = yaml.ScalarNode("", "", yaml.Mark("", 0, 0, 0, None, 0))
    try:
        if path.stat().st_size > MOST_BYTES:
            raise _Wrong(nowhere, f"it is larger than {MOST_BYTES >> 20} MiB")
        return yaml.compose(path.read_text("utf-8"), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise _Wrong(nowhere, str(error)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        wrong = _Wrong(nowhere, error.problem or error.context or "it is no YAML")
        wrong.line = mark.line + 1 if mark else 1
        raise wrong from None
    except yaml.YAMLError as error:
        raise _Wrong(nowhere, str(error)) from None


def _context(path: Path, parts: Mapping[str, Any]) -> _Context:
    group = _text(parts["list"]) if "list" in parts else path.stem
    action = _action(parts["action"]) if "action" in parts else Action.MASK
    sides = frozenset(Side)
    if "sides" in parts:
        sides = frozenset(_chosen(node, Side) for node in _items(parts["sides"]))
    return _Context(group, action, sides)


def _read_each(items: Any, read: Callable[[Any], Rule], found: RuleFile) -> None:
    try:
        nodes = _items(items)
    except _Wrong as wrong:
        found.problems.append(Problem(found.path, wrong.line, wrong.reason))
        return
    for node in nodes:
        try:
            found.rules.append(read(node))
        except _Wrong as wrong:
            found.problems.append(Problem(found.path, wrong.line, wrong.reason))


def _given(read: _Reader, context: _Context, folding: Folding, node: Any) -> Rule:
    return read(node, context, folding)


def _word(node: Any, context: _Context, folding: Folding) -> Rule:
    parts = {"word": node} if isinstance(node, yaml.ScalarNode) else _mapping(node)
    _check_keys(node, {"word", "except", "action"})
    phrases = _texts(parts["except"]) if "except" in parts else []
    action = _action(parts["action"]) if "action" in parts else context.action
    word = _text(_needed(node, parts, "word"))
    try:
        return word_rule(word, context.group, action, context.sides, folding, phrases)
    except (ValueError, re2.error) as error:
        raise _Wrong(node, f"{word}: {error}") from None


def _pattern(node: Any, context: _Context, folding: Folding) -> Rule:
    parts = {"regex": node} if isinstance(node, yaml.ScalarNode) else _mapping(node)
    _check_keys(node, {"name", "regex", "action", "longest"})
    written = _text(_needed(node, parts, "regex"))
    name = _text(parts["name"]) if "name" in parts else written
    action = _action(parts["action"]) if "action" in parts else context.action
    width = _number(parts["longest"]) if "longest" in parts else PATTERN_WIDTH
    folded = "".join(c if c.isascii() else folding.fold(c) for c in written)
    try:
        expression = compiled(folded)
    except re2.error as error:
        raise _Wrong(node, f"{name}: {_reason(error)}") from None
    if expression.search("") is not None:
        raise _Wrong(node, f"{name}: it matches where nothing is")
    find = pattern_finder(expression, 0, lambda text, span: True)
    return Rule(name, context.group, action, context.sides, find, width, folded)


def _personal(node: Any, context: _Context, folding: Folding) -> Rule:
    parts = {"kind": node} if isinstance(node, yaml.ScalarNode) else _mapping(node)
    _check_keys(node, {"kind", "regions", "action"})
    name = _text(_needed(node, parts, "kind"))
    kind = KINDS.get(name)
    if kind is None:
        raise _Wrong(node, f"there is no kind {name}; there are {', '.join(KINDS)}")
    action = _action(parts["action"]) if "action" in parts else context.action
    regions = _texts(parts["regions"]) if "regions" in parts else list(_REGIONS)
    find = kind.make(regions)
    return Rule(name, context.group, action, context.sides, find, kind.width, kind.hint)


_READERS: Mapping[str, _Reader] = {
    "words": _word,
    "patterns": _pattern,
    "personal": _personal,
}


def _mapping(node: Any) -> dict[str, Any]:
    if not isinstance(node, yaml.MappingNode):
        raise _Wrong(node, "here belong names with values (name: value)")
    return {_text(key): value for key, value in node.value}


def _check_keys(node: Any, known: set[str] | frozenset[str]) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, _ in node.value:
            if _text(key) not in known:
                raise _Wrong(key, f"{key.value} is unknown; there are {', '.join(sorted(known))}")


def _needed(node: Any, parts: Mapping[str, Any], key: str) -> Any:
    if key not in parts:
        raise _Wrong(node, f"{key} is missing")
    return parts[key]


def _items(node: Any) -> list[Any]:
    if not isinstance(node, yaml.SequenceNode):
        raise _Wrong(node, "here belongs a list")
    return list(node.value)


def _texts(node: Any) -> list[str]:
    return [_text(item) for item in _items(node)]


def _text(node: Any) -> str:
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise _Wrong(node, "here belongs a text")
    return str(node.value)


def _number(node: Any) -> int:
    text = _text(node)
    if not text.isdecimal() or not 1 <= int(text) <= _LONGEST_PATTERN:
        raise _Wrong(node, f"here belongs a number from 1 to {_LONGEST_PATTERN}")
    return int(text)


def _action(node: Any) -> Action:
    text = _text(node)
    names = {action.name.lower(): action for action in Action}
    if text not in names:
        raise _Wrong(node, f"there is no action {text}; there are {', '.join(names)}")
    return names[text]


def _chosen(node: Any, choices: type[Side]) -> Side:
    text = _text(node)
    if text not in set(choices):
        raise _Wrong(node, f"there is no {text}; there are {', '.join(choices)}")
    return choices(text)


def _reason(error: Exception) -> str:
    """What RE2 says of an expression."""
    first = error.args[0] if error.args else error
    return first.decode("utf-8", "replace") if isinstance(first, bytes) else str(first)
