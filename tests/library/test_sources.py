"""Other programs' models, found in place on every system."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from engine.contract import FaultKind
from engine.library.identify import identify
from engine.library.ollama import model_of, read_store
from engine.library.scan import Found, scan
from engine.library.sources import Computer, Source, SourceKind, other_sources
from tests.library import stores
from tests.library.model_files import llama_folder, llama_gguf

links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "made" / "Tiny-Q8_0.gguf"
    llama_gguf(**{"general.license": None, "general.organization": None}).write(path)
    return path


def one(kind: SourceKind, folder: Path) -> Found:
    (found,) = scan([Source(kind, folder)])
    return found


def kinds(computer: Computer) -> dict[SourceKind, list[Path]]:
    found: dict[SourceKind, list[Path]] = {}
    for source in other_sources(computer):
        found.setdefault(source.kind, []).append(source.folder)
    return found


PLACES = {
    "linux": {
        SourceKind.LM_STUDIO: ".lmstudio/models",
        SourceKind.OLLAMA: ".ollama/models",
        SourceKind.HUGGING_FACE: ".cache/huggingface/hub",
        SourceKind.JAN: ".local/share/Jan/data/llamacpp/models",
        SourceKind.GPT4ALL: ".local/share/nomic.ai/GPT4All",
    },
    "darwin": {
        SourceKind.LM_STUDIO: ".lmstudio/models",
        SourceKind.OLLAMA: ".ollama/models",
        SourceKind.HUGGING_FACE: ".cache/huggingface/hub",
        SourceKind.JAN: "Library/Application Support/Jan/data/llamacpp/models",
        SourceKind.GPT4ALL: "Library/Application Support/nomic.ai/GPT4All",
    },
    "win32": {
        SourceKind.LM_STUDIO: ".lmstudio/models",
        SourceKind.OLLAMA: ".ollama/models",
        SourceKind.HUGGING_FACE: ".cache/huggingface/hub",
        SourceKind.JAN: "AppData/Roaming/Jan/data/llamacpp/models",
        SourceKind.GPT4ALL: "AppData/Local/nomic.ai/GPT4All",
    },
}


@pytest.mark.parametrize("system", PLACES)
def test_the_places_of_every_system_are_known(system: str, tmp_path: Path) -> None:
    for place in PLACES[system].values():
        (tmp_path / place).mkdir(parents=True)
    found = kinds(Computer(tmp_path, system, {}))
    assert {kind: folders[0] for kind, folders in found.items()} == {
        kind: tmp_path / place for kind, place in PLACES[system].items()
    }


def test_a_computer_without_them_has_none(tmp_path: Path) -> None:
    assert other_sources(Computer(tmp_path, "darwin", {})) == ()


@pytest.mark.parametrize(
    ("variable", "below", "kind"),
    [
        ("OLLAMA_MODELS", "", SourceKind.OLLAMA),
        ("HF_HOME", "hub", SourceKind.HUGGING_FACE),
        ("HF_HUB_CACHE", "", SourceKind.HUGGING_FACE),
        ("HUGGINGFACE_HUB_CACHE", "", SourceKind.HUGGING_FACE),
        ("XDG_CACHE_HOME", "huggingface/hub", SourceKind.HUGGING_FACE),
    ],
)
def test_variables_move_the_places(
    variable: str, below: str, kind: SourceKind, tmp_path: Path
) -> None:
    moved = tmp_path / "資料 測試 檔"
    (moved / below).mkdir(parents=True)
    computer = Computer(tmp_path / "home", "darwin", {variable: str(moved)})
    assert kinds(computer) == {kind: [moved / below]}


def test_folders_that_a_program_was_moved_to_are_read_from_its_settings(tmp_path: Path) -> None:
    home, moved = tmp_path / "home", tmp_path / "大 盘"
    for name in ("lm", "jan/models", "gpt"):
        (moved / name).mkdir(parents=True)
    lm, jan = home / ".lmstudio", home / ".local/share/Jan"
    gpt = home / ".config/nomic.ai"
    for folder in (lm, jan, gpt):
        folder.mkdir(parents=True)
    (lm / "settings.json").write_text(json.dumps({"downloadsFolder": str(moved / "lm")}))
    (jan / "settings.json").write_text(json.dumps({"data_folder": str(moved / "jan")}))
    (gpt / "GPT4All.ini").write_text(f"[General]\nmodelPath={moved / 'gpt'}\n", "utf-8")
    assert kinds(Computer(home, "linux", {})) == {
        SourceKind.LM_STUDIO: [moved / "lm"],
        SourceKind.JAN: [moved / "jan" / "models"],
        SourceKind.GPT4ALL: [moved / "gpt"],
    }


@pytest.mark.parametrize("content", ["", "[", "[]", '{"downloadsFolder": 3}', "\0\0"])
def test_settings_that_cannot_be_read_hide_nothing(content: str, tmp_path: Path) -> None:
    (tmp_path / ".lmstudio" / "models").mkdir(parents=True)
    (tmp_path / ".lmstudio" / "settings.json").write_text(content)
    (tmp_path / "Library/Application Support/nomic.ai").mkdir(parents=True)
    (tmp_path / "Library/Application Support/nomic.ai/GPT4All.ini").write_text(content)
    assert list(kinds(Computer(tmp_path, "darwin", {}))) == [SourceKind.LM_STUDIO]


def test_ollamas_models_have_ollamas_names(tmp_path: Path, model: Path) -> None:
    store = tmp_path / "models"
    blob = stores.ollama_store(
        store, model, "tiny:latest", "tiny:4b", "someone/tiny:q8", "hf.co/org/Tiny-GGUF:Q8_0",
        license="Apache License\n  Version 2.0", template="{{ .Prompt }}", params={"num_ctx": 512},
    )  # fmt: skip
    found = one(SourceKind.OLLAMA, store)
    assert found.facts is not None
    assert found.path == blob
    assert (found.facts.name, found.facts.license) == ("hf.co/org/Tiny-GGUF:Q8_0", "Apache License")
    assert found.aliases == ("someone/tiny:q8", "tiny:4b", "tiny:latest")
    assert found.source is SourceKind.OLLAMA
    assert found.facts.parameters == identify(model).parameters
    told = model_of(blob)
    assert told is not None
    assert (told.context, told.has_template, told.is_adapted) == (512, True, False)


def test_a_damaged_manifest_and_a_missing_blob_hide_nothing(tmp_path: Path, model: Path) -> None:
    store = tmp_path / "models"
    stores.ollama_store(store, model, "tiny:4b")
    library = store / "manifests/registry.ollama.ai/library"
    (library / "broken").mkdir()
    (library / "broken" / "latest").write_text("{")
    (library / "odd").mkdir()
    layers = [{"mediaType": "application/vnd.ollama.image.model", "digest": "../../etc/passwd"}, 3]
    (library / "odd" / "latest").write_text(json.dumps({"layers": layers}))
    missing = {
        "mediaType": "application/vnd.ollama.image.model",
        "digest": f"sha256:{'0' * 64}",
    }
    (library / "gone").mkdir()
    (library / "gone" / "latest").write_text(json.dumps({"layers": [missing]}))
    found = scan([Source(SourceKind.OLLAMA, store)])
    assert [f.facts.name for f in found if f.facts] == ["tiny:4b"]
    assert [f.fault.kind for f in found if f.fault] == [FaultKind.FILE_MISSING]


def test_a_model_that_ollama_keeps_as_tensors_is_named_and_not_hidden(tmp_path: Path) -> None:
    store = tmp_path / "models"
    (store / "blobs").mkdir(parents=True)
    layer = {"mediaType": "application/vnd.ollama.image.tensor", "digest": f"sha256:{'1' * 64}"}
    manifest = store / "manifests/registry.ollama.ai/library/new/latest"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"layers": [layer]}))
    found = one(SourceKind.OLLAMA, store)
    assert found.fault is not None
    assert found.fault.kind is FaultKind.FORMAT_UNSUPPORTED
    assert [stored.name for stored in read_store(store)] == ["new:latest"]


def test_lm_studios_tree_tells_the_publisher(tmp_path: Path, model: Path) -> None:
    stores.lm_studio_tree(tmp_path / "models", "lmstudio-community", "Tiny-GGUF", model)
    found = one(SourceKind.LM_STUDIO, tmp_path / "models")
    assert found.facts is not None
    assert (found.facts.name, found.facts.publisher) == ("Tiny", "lmstudio-community")


@links
def test_the_hubs_cache_is_read_through_its_links(tmp_path: Path, model: Path) -> None:
    hub = tmp_path / "hub"
    stores.hub_cache(hub, "org", "Tiny-GGUF", model, "older")
    link = stores.hub_cache(hub, "org", "Tiny-GGUF", model, "newer")
    (link.parent / "gone.gguf").symlink_to("../../blobs/gone")
    (hub / "models--org--empty").mkdir()
    found = one(SourceKind.HUGGING_FACE, hub)
    assert found.facts is not None
    assert found.path == link
    assert (found.facts.name, found.facts.publisher) == ("Tiny", "org")


@links
def test_a_folder_in_the_hubs_cache_is_listed_once_for_all_its_snapshots(tmp_path: Path) -> None:
    hub, made = tmp_path / "hub", llama_folder(tmp_path / "made")
    for commit in ("older", "newer"):
        for file in made.iterdir():
            stores.hub_cache(hub, "org", "Tiny", file, commit)
    found = one(SourceKind.HUGGING_FACE, hub)
    assert found.facts is not None
    assert found.path.name == "newer"
    assert (found.facts.name, found.facts.publisher) == ("Tiny", "org")


def test_jans_files_are_called_after_their_folder(tmp_path: Path, model: Path) -> None:
    stores.jan_folder(tmp_path / "data", "Menlo", "Jan-nano", model)
    found = one(SourceKind.JAN, tmp_path / "data" / "llamacpp" / "models")
    assert found.facts is not None
    assert found.facts.name == "Jan-nano"


def test_gpt4alls_files_are_found(tmp_path: Path, model: Path) -> None:
    stores.gpt4all_folder(tmp_path / "GPT4All", model)
    assert one(SourceKind.GPT4ALL, tmp_path / "GPT4All").facts is not None


@links
def test_a_model_of_two_programs_is_listed_for_the_first(tmp_path: Path, model: Path) -> None:
    tree = stores.lm_studio_tree(tmp_path / "lm", "org", "tiny", model)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "tiny.gguf").symlink_to(tree)
    own, theirs = tmp_path / "own", tmp_path / "lm"
    (found,) = scan([Source(SourceKind.OWN, own), Source(SourceKind.LM_STUDIO, theirs)])
    assert found.source is SourceKind.OWN


def test_D7_long_and_chinese_paths_are_found(tmp_path: Path, model: Path) -> None:
    deep = tmp_path / "資料 測試 檔"
    for number in range(4):
        deep = deep / f"{number} {'很长的文件夹' * 6}"
    if sys.platform == "win32" and len(str(deep)) > 200:
        pytest.skip("Windows may be limited to 260 characters")
    stores.gpt4all_folder(deep, model)
    assert one(SourceKind.ADDED, tmp_path / "資料 測試 檔").facts is not None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_folder_that_cannot_be_listed_hides_nothing(tmp_path: Path, model: Path) -> None:
    stores.gpt4all_folder(tmp_path / "models", model)
    closed = tmp_path / "models" / "closed"
    closed.mkdir()
    closed.chmod(0)
    try:
        assert one(SourceKind.ADDED, tmp_path / "models").facts is not None
    finally:
        closed.chmod(0o700)
