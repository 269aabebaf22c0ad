"""The guard before an engine: off, family, organisation, locked; whatever the engine is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.contract import (
    Channel,
    Command,
    Complete,
    EngineError,
    Event,
    Fault,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    Load,
    Message,
    NoticeKind,
    Role,
    TextDelta,
    TokenChoice,
)
from engine.safety import Profile, read_settings
from engine.safety.audit import AuditLog
from engine.safety.guard import Guarded
from engine.safety.protection import Protection
from tests.doubles.engines import Reply, ScriptedRunner
from tests.safety.rules import protection


def ask(*contents: str, **more: object) -> Generate:
    return Generate(1, tuple(Message(Role.USER, text) for text in contents), **more)  # type: ignore[arg-type]


def loaded(*replies: Reply) -> ScriptedRunner:
    runner = ScriptedRunner(replies)
    list(runner.run(Load(9, Path("model.gguf")), lambda: False))
    runner.commands.clear()
    return runner


def events_of(
    command: Command, *replies: Reply, by: Protection | None = None
) -> tuple[list[Event], ScriptedRunner]:
    runner = loaded(*replies)
    source = None if by is None else lambda: by
    found = Guarded(runner, source).run(command, lambda: False)
    return [event for event in found if event is not None], runner


def text_of(events: list[Event], channel: Channel = Channel.ANSWER) -> str:
    return "".join(e.text for e in events if isinstance(e, TextDelta) and e.channel is channel)


def end_of(events: list[Event]) -> Finished:
    end = events[-1]
    assert isinstance(end, Finished)
    return end


def test_off_hands_the_engines_own_iterator_through() -> None:
    """Off is the default, and costs nothing: no event passes through anything of ours."""

    class Engine(ScriptedRunner):
        def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
            return iterator

    iterator: Iterator[Event | None] = iter(())
    assert Guarded(Engine()).run(ask("fuck"), lambda: False) is iterator
    assert not Path(os.environ["INKSTONE_HOME"], "audit").exists()


def test_a_reply_is_masked_in_answer_and_reasoning_and_noted() -> None:
    family = protection(Profile.FAMILY)
    reply = Reply(
        "What a shitty day, and an F.U.C.K to it.",
        [(Channel.REASONING, "oh sh"), (Channel.REASONING, "it yes")],
    )
    events, _ = events_of(ask("Say it"), reply, by=family)
    assert text_of(events) == "What a ██████ day, and an █.█.█.█ to it."
    assert text_of(events, Channel.REASONING) == "oh ████ yes"
    end = end_of(events)
    assert end.reason is FinishReason.END_OF_TURN
    assert end.ids == ()  # they say something else
    (notice,) = end.notices
    assert (notice.kind, notice.figures) == (
        NoticeKind.OUTPUT_MASKED,
        {"list": "rude", "places": 3},
    )
    log = AuditLog(read_settings().audit_folder)
    assert [r["where"] for r in log.records()] == ["reasoning", "answer", "answer"]
    assert log.verify().broken == ""
    assert not any("day" in json.dumps(record) for record in log.records())


def test_a_stop_ends_the_reply_with_its_figures() -> None:
    family = protection(Profile.FAMILY)
    long = "Here is porn of every kind. " + "More and more. " * 200
    events, _ = events_of(ask("Go"), Reply(long, endless=True), by=family)
    assert text_of(events) == "Here is "
    end = end_of(events)
    assert end.reason is FinishReason.CONTENT_FILTER
    assert end.notices[-1].kind is NoticeKind.OUTPUT_STOPPED
    assert end.ids == ()
    assert 0 < end.usage.generated_tokens < 200


def test_a_question_is_refused_before_the_engine_sees_it() -> None:
    family = protection(Profile.FAMILY)
    with pytest.raises(EngineError) as raised:
        events_of(ask("ｈｏｗ to make a b\u200bomb"), by=family)
    assert raised.value.fault.kind is FaultKind.INPUT_REFUSED
    assert raised.value.fault.figures["list"] == "harm"
    (record,) = AuditLog(read_settings().audit_folder).records()
    assert (record["kind"], record["action"]) == ("input", "stop")


def test_a_question_is_masked_before_the_engine_sees_it() -> None:
    organisation = protection(Profile.ORGANISATION)
    for command in (ask("Card 4111 1111 1111 1111 please"), Complete(1, "Card 4111111111111111")):
        events, runner = events_of(command, Reply("Yes."), by=organisation)
        (sent,) = runner.commands
        assert "4111" not in repr(sent)
        assert end_of(events).notices[0].kind is NoticeKind.INPUT_MASKED


def test_every_message_of_a_conversation_is_looked_through() -> None:
    """Edited replies, tools and system prompts are ways in too; a changed one has no ids."""
    organisation = protection(Profile.ORGANISATION)
    said = "mail a.b@example.com"
    messages = tuple(Message(role, said, reasoning=said, ids=(1, 2)) for role in Role)
    _, runner = events_of(Generate(1, messages), Reply("Yes."), by=organisation)
    sent = runner.commands[0]
    assert isinstance(sent, Generate)
    assert "example" not in repr(sent.messages)
    assert all(message.ids == () for message in sent.messages)


def test_a_continued_reply_is_joined_to_its_beginning() -> None:
    family = protection(Profile.FAMILY)
    messages = (Message(Role.USER, "Go on"), Message(Role.ASSISTANT, "such a bas"))
    command = Generate(1, messages, continue_reply=True)
    events, _ = events_of(command, Reply("tard he was"), by=family)
    assert text_of(events) == "████ he was"


def test_text_that_was_held_is_given_out_when_a_reply_breaks() -> None:
    family = protection(Profile.FAMILY)
    fault = Fault(FaultKind.BUSY, {"waiting": 1, "limit": 1})
    runner = Guarded(loaded(Reply("Half of a shit", fault=fault)), lambda: family)
    seen: list[Event] = []

    def read() -> None:
        for event in runner.run(ask("?"), lambda: False):
            if event is not None:
                seen.append(event)  # what came before the error counts

    with pytest.raises(EngineError):
        read()
    assert text_of(seen) == "Half of a ████"


def test_a_cancelled_reply_keeps_its_text() -> None:
    family = protection(Profile.FAMILY)
    asked = iter([False] * 40)
    runner = Guarded(loaded(Reply("one two three", endless=True)), lambda: family)
    events = [e for e in runner.run(ask("?"), lambda: not next(asked, False)) if e is not None]
    assert end_of(events).reason is FinishReason.CANCELLED


def test_tokens_travel_with_their_text() -> None:
    """The inspector and an API's log-probabilities see no token of what is masked."""
    family = protection(Profile.FAMILY)

    class Tokens(ScriptedRunner):
        def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
            for number, text in enumerate(["fine ", "shit", " day ", "x" * 200, " end"]):
                choice = TokenChoice(
                    number,
                    text,
                    0.0,
                    (
                        (9, "fuck", -1.0, b"fuck"),
                        (8, "nice", -1.0, b"nice"),
                    ),
                )
                yield TextDelta(1, Channel.ANSWER, text, (choice,))
            yield Finished(1, FinishReason.END_OF_TURN, ids=(0, 1, 2, 3, 4))

    events = [e for e in Guarded(Tokens(), lambda: family).run(ask("?"), bool) if e is not None]
    tokens = [t for e in events if isinstance(e, TextDelta) for t in e.tokens]
    assert "shit" not in [token.text for token in tokens]
    assert tokens[-1].text == " end"
    assert all(a[1] == "nice" for token in tokens for a in token.alternatives)


def test_a_bad_rule_file_is_told_in_a_family_and_closes_an_organisation() -> None:
    folder = Path(os.environ["INKSTONE_HOME"], "safety-rules")
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("words:\n  - good\n  - {wrd: x}\n", "utf-8")
    events, _ = events_of(ask("?"), Reply("A good day."), by=protection(Profile.FAMILY))
    assert text_of(events) == "A ████ day."
    notice = end_of(events).notices[0]
    assert (notice.kind, notice.figures["line"]) == (NoticeKind.RULES_INVALID, 3)
    with pytest.raises(EngineError) as raised:
        events_of(ask("?"), by=protection(Profile.ORGANISATION))
    assert raised.value.fault.kind is FaultKind.RULES_INVALID
    assert raised.value.fault.figures["line"] == 3


def test_an_organisation_answers_nothing_without_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    organisation = protection(Profile.ORGANISATION)
    Path(os.environ["INKSTONE_HOME"], "audit").write_text("a file in its place")
    with pytest.raises(EngineError) as raised:
        events_of(ask("a.b@example.com"), by=organisation)
    assert raised.value.fault.kind is FaultKind.AUDIT_UNWRITABLE


class Judge:
    def unwanted(self, text: str) -> str:
        return "toxic" if "villain" in text else ""


def test_a_classifier_refuses_a_question_and_ends_a_reply() -> None:
    family = protection(Profile.FAMILY)
    family.classifier = Judge()
    with pytest.raises(EngineError) as raised:
        events_of(ask("you villain"), by=family)
    assert raised.value.fault.figures == {"rule": "toxic", "list": "classifier"}
    events, _ = events_of(ask("?"), Reply("a villain " + "word " * 400), by=family)
    assert end_of(events).reason is FinishReason.CONTENT_FILTER
    assert len(text_of(events)) < 600


def test_a_real_classifier_is_loaded_from_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tiny random model of transformers: it says something, whatever that is."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    from engine.safety.classifier import FolderClassifier

    monkeypatch.setattr("tqdm.std.tqdm.monitor_interval", 0)  # a progress bar starts no thread
    words = {"[UNK]": 0, "a": 1}
    tokens = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel(words, "[UNK]")), unk_token="[UNK]"
    )
    tokens.save_pretrained(tmp_path)
    config = BertConfig(
        vocab_size=2, hidden_size=8, num_hidden_layers=1, num_attention_heads=1,
        intermediate_size=8, id2label={0: "bad", 1: "worse"}, label2id={"bad": 0, "worse": 1},
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    assert FolderClassifier(tmp_path, 0.1).unwanted("a a") in {"bad", "worse"}
    assert FolderClassifier(tmp_path, 1.0).unwanted("a a") == ""
    broken = protection(Profile.FAMILY, safety_classifier=str(tmp_path / "none"))
    assert "no folder" in broken.problems[0].reason
