"""Constraints hold whatever the model would rather say, and say what is wrong with them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from engine.contract import Constraint, ConstraintKind, EngineError, FaultKind, Sampling
from engine.generation.constraints import Grammars
from engine.generation.sampler import Sampler, Vocabulary

END = 256
TOKENS = [bytes([n]) for n in range(256)] + [b"<end>"]
SCHEMA = {
    "type": "object",
    "properties": {"name": {"enum": ["a", "b"]}, "age": {"type": "integer", "maximum": 99}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def grammars() -> Grammars:
    return Grammars(TOKENS, {END}, [END], lambda text: list(text.encode()))


def reply(grammars: Grammars, constraint: Constraint, sampling: Sampling, seed: int) -> str:
    """What a model of random opinions says under a constraint; its padded ids shout."""
    sampler = Sampler(sampling, Vocabulary(257, {END}), mask=grammars.compile(constraint))
    rng = np.random.default_rng(seed)
    ids: list[int] = []
    while not ids or ids[-1] != END:
        assert len(ids) < 2000
        logits = rng.normal(size=300).astype(np.float32)
        logits[257:] = 1000
        ids.append(sampler.draw(logits).id)
    return bytes(ids[:-1]).decode()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "sampling", [Sampling(temperature=0), Sampling(temperature=1.5, top_k=5, seed=1)]
)
def test_a_schema_is_followed_by_a_model_of_random_opinions(
    grammars: Grammars, sampling: Sampling, seed: int
) -> None:
    schema = Constraint(ConstraintKind.JSON_SCHEMA, json.dumps(SCHEMA))
    shown = json.loads(reply(grammars, schema, sampling, seed))
    assert shown["name"] in {"a", "b"}
    assert shown["age"] <= 99
    assert set(shown) == {"name", "age"}


def test_a_regular_expression_and_a_grammar_are_followed(grammars: Grammars) -> None:
    regex = Constraint(ConstraintKind.REGEX, r"[a-c]{3}-\d{1,4}")
    assert re.fullmatch(regex.text, reply(grammars, regex, Sampling(seed=0), 1))
    lark = Constraint(ConstraintKind.GRAMMAR, 'start: word (", " word)*\nword: "yes" | "no"')
    assert re.fullmatch("(yes|no)(, (yes|no))*", reply(grammars, lark, Sampling(seed=0), 2))


def test_a_finished_text_ends_even_before_the_least_tokens(grammars: Grammars) -> None:
    constraint = Constraint(ConstraintKind.REGEX, "ok")
    assert reply(grammars, constraint, Sampling(min_tokens=50), 0) == "ok"


def test_a_mask_that_waits_holds_from_constrain_on(grammars: Grammars) -> None:
    mask = grammars.compile(Constraint(ConstraintKind.REGEX, "z"))
    sampler = Sampler(
        Sampling(temperature=0), Vocabulary(257, {END}), mask=mask, is_constrained=False
    )
    logits = np.zeros(257, dtype=np.float32)
    logits[ord("!")] = 9
    assert chr(sampler.draw(logits).id) == "!"
    sampler.constrain()
    assert chr(sampler.draw(logits).id) == "z"
    assert sampler.draw(logits).id == END


def test_reasoning_may_be_opened_first_and_only_first(grammars: Grammars) -> None:
    opener = ord("<")
    mask = grammars.compile(Constraint(ConstraintKind.REGEX, "zz"))
    greedy, vocabulary = Sampling(temperature=0), Vocabulary(257, {END})
    logits = np.zeros(257, dtype=np.float32)
    logits[opener] = 9
    sampler = Sampler(greedy, vocabulary, mask=mask, openers=[opener, 999])
    assert [sampler.draw(logits).id for _ in range(3)] == [opener] * 3  # free until the close
    sampler.constrain()
    assert [chr(sampler.draw(logits).id) for _ in range(2)] == ["z", "z"]
    mask = grammars.compile(Constraint(ConstraintKind.REGEX, "zz"))
    sampler = Sampler(greedy, vocabulary, mask=mask, openers=[opener])
    assert chr(sampler.draw(np.where(np.arange(257) == ord("z"), 10, logits)).id) == "z"
    assert chr(sampler.draw(logits).id) == "z"  # the answer has begun


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ConstraintKind.JSON_SCHEMA, '{"type":'),
        (ConstraintKind.JSON_SCHEMA, '{"type": "nothing"}'),
        (ConstraintKind.REGEX, "(unclosed"),
        (ConstraintKind.GRAMMAR, "start: nowhere"),
        (ConstraintKind.GRAMMAR, ""),
    ],
)
def test_what_is_no_constraint_is_refused_with_the_reason(
    grammars: Grammars, kind: ConstraintKind, text: str
) -> None:
    with pytest.raises(EngineError) as raised:
        grammars.compile(Constraint(kind, text))
    assert raised.value.fault.kind is FaultKind.CONSTRAINT_INVALID
    assert raised.value.fault.figures["form"] == kind
    assert len(str(raised.value.fault.figures["detail"])) > 5


def test_a_model_without_an_end_cannot_be_constrained() -> None:
    with pytest.raises(EngineError) as raised:
        Grammars(TOKENS, {999}, [], lambda text: list(text.encode()))
    assert raised.value.fault.kind is FaultKind.SETTING_INVALID
