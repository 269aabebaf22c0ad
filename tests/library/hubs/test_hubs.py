"""Both hubs, answered by a server on loopback that speaks their protocols."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.contract import EngineError, FaultKind
from engine.library.downloads.client import open_client
from engine.library.downloads.order import Phase
from engine.library.downloads.queue import DownloadQueue
from engine.library.held import held_size
from engine.library.hubs.choices import choices_in, order_for
from engine.library.hubs.direct import Target, is_address, order_for_address, read_target
from engine.library.hubs.hub import (
    HUGGING_FACE,
    MODELSCOPE,
    USUAL_LABEL,
    HubModel,
    HubQuery,
    SortBy,
    most_parameters_in,
    parameters_in,
)
from engine.library.hubs.hub import Hub as AnyHub
from engine.library.hubs.huggingface import HuggingFace
from engine.library.hubs.modelscope import ModelScope
from tests.doubles.hub import Hub, serve, sha256

FILES = {
    "README.md": b"# M",
    "m-Q4_K_M.gguf": b"four" * 500,
    "m-Q8_0.gguf": b"eight" * 900,
}
PROXIED = {"cardData": {"license": "apache-2.0", "language": ["en", "zh"]}}


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serve(Hub({"me/m-GGUF": dict(FILES), "you/other": {}}, {"me/m-GGUF": PROXIED})) as served:
        yield served


def both(address: str, token: str = "") -> Iterator[AnyHub]:
    with open_client() as client:
        yield HuggingFace(client, address, token)
        yield ModelScope(client, address + "/", token)


def test_a_search_finds_by_name(hub: Hub) -> None:
    for each in both(hub.address):
        assert [found.repository for found in each.search(HubQuery("M-gg"))] == ["me/m-GGUF"]
        assert each.search(HubQuery("nothing of the kind")) == ()
        (found,) = each.search(HubQuery("m-gguf"))
        assert (found.name, found.publisher, found.downloads) == ("m-GGUF", "me", 7)


def test_without_words_what_is_ready_to_run_comes_in_the_order_that_is_asked_for() -> None:
    shelf = Hub({"a/Old-4B-GGUF": {}, "b/Liked-8B-GGUF": {}, "c/raw-4B": {}})
    shelf.facts = {
        "a/Old-4B-GGUF": {"downloads": 900, "likes": 1, "gguf": {"total": 4_022_000_000}},
        "b/Liked-8B-GGUF": {"downloads": 20, "likes": 50},
        "c/raw-4B": {"downloads": 9000},
    }
    with serve(shelf):
        for each in both(shelf.address):
            names = [found.name for found in each.search(HubQuery())]
            assert names == ["Old-4B-GGUF", "Liked-8B-GGUF"]
            liked = each.search(HubQuery(sort=SortBy.LIKES))
            assert [found.name for found in liked] == ["Liked-8B-GGUF", "Old-4B-GGUF"]
            (small,) = each.search(HubQuery(most_parameters=5_000_000_000))
            assert small.name == "Old-4B-GGUF"
            assert small.parameters == (4_022_000_000 if each.name == HUGGING_FACE else 4 * 10**9)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("Qwen3-0.6B-GGUF", 600_000_000),
        ("gemma-3-270m-it", 270_000_000),
        ("Qwen3-30B-A3B-GGUF", 30_000_000_000),
        ("Phi-4-mini-instruct", 0),
        ("model-4bit", 0),
        ("Llama-3.2-1B", 1_000_000_000),
    ],
)
def test_a_name_tells_how_large_a_model_is(name: str, parameters: int) -> None:
    assert parameters_in(name) == parameters


def test_what_fits_is_reckoned_at_4_bits() -> None:
    most = most_parameters_in(8 * 10**9)
    assert 11 * 10**9 < most < 13 * 10**9
    size = HubModel("h", "a/b", parameters=most).usual_size
    assert held_size(size, USUAL_LABEL) == pytest.approx(8 * 10**9, rel=1e-6)


def test_a_repository_is_read_with_sizes_and_hashes(hub: Hub) -> None:
    for each in both(hub.address):
        repository = each.look("me/m-GGUF")
        by_path = {file.path: file for file in repository.files}
        assert set(by_path) == set(FILES)
        q4 = by_path["m-Q4_K_M.gguf"]
        assert (q4.size, q4.sha256) == (2000, sha256(FILES["m-Q4_K_M.gguf"]))
        assert by_path["README.md"].is_verifiable


def test_licence_and_languages_are_known(hub: Hub) -> None:
    with open_client() as client:
        repository = HuggingFace(client, hub.address).look("me/m-GGUF")
    assert (repository.license, repository.languages) == ("apache-2.0", ("en", "zh"))
    assert repository.page == f"{hub.address}/me/m-GGUF"


def test_what_a_hub_lists_can_be_fetched_and_is_verified(hub: Hub, tmp_path: Path) -> None:
    for number, each in enumerate(both(hub.address)):
        repository = each.look("me/m-GGUF")
        choice = next(c for c in choices_in(repository) if c.is_recommended)
        queue = DownloadQueue(tmp_path / str(number), open_client)
        try:
            queue.add(order_for(repository, choice))
            assert queue.wait(10)
            (state,) = queue.states()
        finally:
            queue.close()
        assert (state.phase, state.verified) == (Phase.FINISHED, True)
        assert Path(state.path).read_bytes() == FILES["m-Q4_K_M.gguf"]
        assert Path(state.path).parts[-3:] == ("me", "m-GGUF", "m-Q4_K_M.gguf")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b"<html>", FaultKind.HUB_UNREADABLE),
        (b"[]", FaultKind.HUB_UNREADABLE),
        (b'{"siblings": 3, "Data": []}', FaultKind.HUB_UNREADABLE),
    ],
)
def test_another_answer_than_a_hubs_is_named(
    hub: Hub, answer: bytes, kind: FaultKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.doubles import hub as double

    monkeypatch.setattr(double.json, "dumps", lambda _: answer.decode())
    for each in both(hub.address):
        with pytest.raises(EngineError) as caught:
            each.look("me/m-GGUF")
        assert caught.value.fault.kind is kind


@pytest.mark.parametrize(
    ("place", "kind", "figures"),
    [
        ("ht!tp://mirror", FaultKind.HUB_ADDRESS_INVALID, {"address": "ht!tp://mirror"}),
        ("ftp://user:secret@mirror", FaultKind.HUB_ADDRESS_INVALID, {"address": "ftp://mirror"}),
        ("{hub}/x", FaultKind.HUB_UNREADABLE, {"host": "127.0.0.1", "detail": "status 404"}),
    ],
)
def test_a_mirror_that_is_none_is_named_as_such(
    hub: Hub, place: str, kind: FaultKind, figures: dict[str, str]
) -> None:
    """Where nothing was named that could be missing, the mirror is what is wrong."""
    for each in both(place.format(hub=hub.address)):
        with pytest.raises(EngineError) as caught:
            each.search(HubQuery("x"))
        assert (caught.value.fault.kind, dict(caught.value.fault.figures)) == (kind, figures)


def test_a_hostile_list_of_files_stays_inside(hub: Hub) -> None:
    hub.repositories["me/m-GGUF"]["../../evil.gguf"] = b"x"
    hub.repositories["me/m-GGUF"]["/etc/evil.gguf"] = b"x"
    for each in both(hub.address):
        assert {file.path for file in each.look("me/m-GGUF").files} == set(FILES)


def test_no_such_repository_and_no_network_are_named(hub: Hub) -> None:
    for each in both(hub.address):
        with pytest.raises(EngineError) as caught:
            each.look("me/none")
        assert caught.value.fault.kind is FaultKind.FILE_GONE
    for each in both("http://127.0.0.1:9"):
        with pytest.raises(EngineError) as caught:
            each.search(HubQuery("x"))
        assert caught.value.fault.kind is FaultKind.NETWORK_UNREACHABLE


def test_a_token_is_sent_to_its_hub(hub: Hub) -> None:
    for each in both(hub.address, "secret"):
        each.search(HubQuery("m"))
    assert {a.headers.get("authorization") for a in hub.asked} == {"Bearer secret"}


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Qwen/Qwen3-4B-GGUF", Target(HUGGING_FACE, "Qwen/Qwen3-4B-GGUF")),
        (" hf:Qwen/Qwen3-4B ", Target(HUGGING_FACE, "Qwen/Qwen3-4B")),
        ("modelscope:Qwen/Qwen3-4B", Target(MODELSCOPE, "Qwen/Qwen3-4B")),
        ("https://huggingface.co/a/b", Target(HUGGING_FACE, "a/b")),
        ("https://hf-mirror.com/a/b/tree/main", Target(HUGGING_FACE, "a/b")),
        (
            "https://huggingface.co/a/b/resolve/main/x/m%20m.gguf?download=true",
            Target(HUGGING_FACE, "a/b", "x/m m.gguf"),
        ),
        ("https://huggingface.co/a/b/blob/main/m.gguf", Target(HUGGING_FACE, "a/b", "m.gguf")),
        ("https://modelscope.cn/models/a/b/files", Target(MODELSCOPE, "a/b")),
        ("https://example.org/m.gguf", None),
        ("hello", None),
        ("a/b/c", None),
        ("../x", None),
        ("huggingface.co/me/Small-GGUF", Target(HUGGING_FACE, "me/Small-GGUF")),
        ("www.huggingface.co/me/Small-GGUF/", Target(HUGGING_FACE, "me/Small-GGUF")),
        ("hf.co/me/Small-GGUF:Q4_K_M", Target(HUGGING_FACE, "me/Small-GGUF", "Q4_K_M")),
        ("modelscope.cn/models/me/Small", Target(MODELSCOPE, "me/Small")),
        ("example.org/me/Small-GGUF", None),
    ],
)
def test_what_a_person_pastes_is_understood(text: str, target: Target | None) -> None:
    assert read_target(text) == target


def test_an_address_of_a_file_is_an_order_and_others_are_refused(hub: Hub) -> None:
    order = order_for_address("https://example.org/x/%E6%A8%A1.gguf?sig=secret")
    assert (order.name, order.folder, order.files[0].path) == ("模", "模", "模.gguf")
    assert "secret" not in order.key
    for address in ("https://example.org/m.bin", "https://example.org/", "https://e.org/..%2fm"):
        assert is_address(address)
        with pytest.raises(EngineError) as caught:
            order_for_address(address)
        assert caught.value.fault.kind is FaultKind.FORMAT_UNSUPPORTED


def command(hub: Hub, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    surroundings = {"INKSTONE_HOME": str(home), "PATH": "/usr/bin", "HF_ENDPOINT": hub.address}
    return subprocess.run(
        [sys.executable, "-m", "engine", "download", *arguments],
        env=surroundings, cwd=Path(__file__).resolve().parents[3],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_the_command_line_fetches_with_progress_and_goes_on(hub: Hub, tmp_path: Path) -> None:
    ran = command(hub, tmp_path, "me/m-GGUF", "--file", "Q8_0", "--json")
    assert ran.returncode == 0, ran.stderr
    last = json.loads(ran.stdout.splitlines()[-1])
    assert (last["phase"], last["verified"], last["done"]) == ("finished", True, 4500)
    assert Path(last["path"]).read_bytes() == FILES["m-Q8_0.gguf"]
    assert list((tmp_path / "models" / ".downloads").iterdir()) == []
    ran = command(hub, tmp_path, "me/none")
    assert ran.returncode == 1
    assert ran.stderr.startswith("There is nothing at ")
