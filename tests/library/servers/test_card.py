"""A remote model's card is a model in the folder: identified, listed, removed; it has no key."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.contract import EngineError, FaultKind, Support
from engine.library.fit import Place, Room, fit
from engine.library.identify import identify
from engine.library.removal import remove_model
from engine.library.scan import scan
from engine.library.servers.card import RemoteCard, is_card, key_account, read_card, write_card
from engine.library.sources import Source, SourceKind

CARD = RemoteCard("http://localhost:11434/v1", "qwen3:4b", "Qwen on Ollama", "ollama", 8192)


def test_a_card_is_written_read_and_identified(tmp_path: Path) -> None:
    path = write_card(tmp_path, CARD)
    assert is_card(path)
    assert read_card(path) == CARD
    facts = identify(path)
    assert (facts.name, facts.server, facts.support) == (CARD.name, CARD.address, Support.REMOTE)
    assert facts.context_length == 8192
    assert fit(facts, 4096, Room(8 << 30)).place is Place.UNKNOWN


def test_two_cards_of_one_name_lie_beside_each_other(tmp_path: Path) -> None:
    paths = {write_card(tmp_path, CARD) for _ in range(3)}
    assert len(paths) == 3
    found = scan([Source(SourceKind.OWN, tmp_path)])
    assert [each.facts.name for each in found if each.facts] == [CARD.name] * 3


def test_a_card_is_changed_in_place_and_removed(tmp_path: Path) -> None:
    path = write_card(tmp_path, CARD)
    assert write_card(tmp_path, RemoteCard(CARD.address, "other"), path) == path
    assert read_card(path).model == "other"
    remove_model(path, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a/b:c", "..", "模型", "x" * 300, 'q"?*<>|', ""])
def test_any_name_makes_a_file(tmp_path: Path, name: str) -> None:
    path = write_card(tmp_path, RemoteCard(CARD.address, "model/with:signs", name))
    assert path.parent == tmp_path
    assert read_card(path).name == name


@pytest.mark.parametrize(
    "content",
    ["", "no json", "[]", "{}", '{"address": 3}', '{"address":"x y!","model":"m"}', "[" * 9999],
)
def test_what_is_no_card_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad.remote.json"
    path.write_text(content)
    with pytest.raises(EngineError) as caught:
        identify(path)
    assert caught.value.fault.kind in {FaultKind.CONFIG_INVALID, FaultKind.ADDRESS_INVALID}
    [found] = scan([Source(SourceKind.OWN, tmp_path)])
    assert found.fault is not None


def test_a_card_of_a_newer_program_still_works(tmp_path: Path) -> None:
    path = tmp_path / "new.remote.json"
    path.write_text('{"address":"localhost:1","model":"m","kind":"future","context":-4,"more":1}')
    assert read_card(path) == RemoteCard("http://localhost:1/v1", "m")


def test_a_missing_card_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        read_card(tmp_path / "gone.remote.json")
    assert caught.value.fault.kind is FaultKind.FILE_MISSING


def test_a_proxy_with_a_password_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        write_card(tmp_path, RemoteCard(CARD.address, "m", proxy="http://me:word@proxy:3128"))
    assert caught.value.fault.kind is FaultKind.PROXY_INVALID
    assert "word" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_one_key_for_each_server() -> None:
    assert key_account("https://a.com/v1") == key_account("https://a.com/other/v2")
    assert key_account("https://a.com/v1") != key_account("http://a.com/v1")
