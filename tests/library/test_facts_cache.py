"""Facts that were read before are not read again, and never outlive their file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.contract import EngineError
from engine.library.facts_cache import FactsCache
from engine.library.identify import identify
from tests.library.model_files import llama_folder, llama_gguf


class Counter:
    def __init__(self) -> None:
        self.read: list[str] = []

    def identify(self, path: Path) -> object:
        self.read.append(path.name)
        return identify(path)


@pytest.fixture
def counter() -> Counter:
    return Counter()


def cache_of(tmp_path: Path, counter: Counter) -> FactsCache:
    return FactsCache(tmp_path / "cache" / "known.json", counter.identify)  # type: ignore[arg-type]


def test_a_file_is_read_once_also_by_the_next_program(tmp_path: Path, counter: Counter) -> None:
    llama_gguf().write(tmp_path / "模型.gguf")
    folder = llama_folder(tmp_path / "folder")
    first = cache_of(tmp_path, counter)
    facts = [first.identify(tmp_path / "模型.gguf"), first.identify(folder)]
    first.save()
    second = cache_of(tmp_path, counter)
    assert [second.identify(tmp_path / "模型.gguf"), second.identify(folder)] == facts
    assert counter.read == ["模型.gguf", "folder"]


def test_a_changed_file_is_read_again(tmp_path: Path, counter: Counter) -> None:
    cache, path = cache_of(tmp_path, counter), tmp_path / "m.gguf"
    llama_gguf().write(path)
    assert cache.identify(path).context_length == 512
    llama_gguf(**{"llama.context_length": 1024}).write(path)
    assert cache.identify(path).context_length == 1024


def test_a_file_added_to_a_folder_is_noticed(tmp_path: Path, counter: Counter) -> None:
    cache, folder = cache_of(tmp_path, counter), llama_folder(tmp_path / "folder")
    assert not cache.identify(folder).has_template
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    assert cache.identify(folder).has_template


def test_faults_are_not_remembered(tmp_path: Path, counter: Counter) -> None:
    cache, path = cache_of(tmp_path, counter), tmp_path / "m.gguf"
    path.write_bytes(b"GGUF")
    for _ in range(2):
        with pytest.raises(EngineError):
            cache.identify(path)
    assert counter.read == ["m.gguf"] * 2


@pytest.mark.parametrize("damage", ["{", "[]", '{"stamp": "older", "models": {}}', "null"])
def test_a_damaged_cache_is_none(tmp_path: Path, counter: Counter, damage: str) -> None:
    llama_gguf().write(tmp_path / "m.gguf")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "known.json").write_text(damage)
    assert cache_of(tmp_path, counter).identify(tmp_path / "m.gguf").name == "m"


def test_an_entry_changed_by_hand_is_read_again(tmp_path: Path, counter: Counter) -> None:
    path, file = tmp_path / "m.gguf", tmp_path / "cache" / "known.json"
    llama_gguf().write(path)
    first = cache_of(tmp_path, counter)
    facts = first.identify(path)
    first.save()
    stored = json.loads(file.read_text())
    stored["models"][str(path)]["facts"]["layers"] = "many"
    file.write_text(json.dumps(stored))
    assert cache_of(tmp_path, counter).identify(path) == facts
    assert len(counter.read) == 2
