"""The queue: order, pauses, restarts, and nothing unfinished that looks like a model."""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.contract import EngineError, Fault, FaultKind
from engine.library.downloads.client import open_client
from engine.library.downloads.order import DownloadState, Order, Phase, WantedFile, safe_path
from engine.library.downloads.pace import Patience, RateMeter
from engine.library.downloads.queue import DownloadQueue
from engine.library.downloads.record import UNFINISHED, Record
from engine.library.downloads.transfer import Download
from engine.library.hubs.direct import order_for_address
from engine.library.scan import scan
from engine.library.sources import Source, SourceKind
from engine.library.write_fault import write_fault
from tests.doubles.hub import Hub, Mischief, serve, sha256

HASTY = Patience(tries=2, pause=0.01, longest_wait=1, window=5, least=1)
PARTS = {f"m-0000{n}-of-00003.gguf": bytes([n]) * 50_000 for n in (1, 2, 3)}


def order_of(hub: Hub, repository: str = "me/m", account: str = "") -> Order:
    files = tuple(
        WantedFile(f"{hub.address}/{repository}/resolve/main/{n}", n, len(c), sha256(c))
        for n, c in hub.repositories[repository].items()
    )
    return Order(f"hub:{repository}", repository.rpartition("/")[2], repository, files, account)


@contextmanager
def queue_in(models: Path, token: str = "") -> Iterator[DownloadQueue]:
    queue = DownloadQueue(models, open_client, lambda _: token, patience=HASTY)
    try:
        yield queue
    finally:
        queue.close()
        assert not [t for t in threading.enumerate() if t.name == "download"]


def only(queue: DownloadQueue) -> DownloadState:
    (state,) = queue.states()
    return state


def until(condition: object, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.005)


def test_D7_a_split_model_arrives_whole_in_a_folder_of_any_name(tmp_path: Path) -> None:
    models = tmp_path / "資料 測試 檔"
    with serve(Hub({"me/m": PARTS})) as hub, queue_in(models) as queue:
        queue.add(order_of(hub))
        assert queue.wait(10)
        state = only(queue)
    assert state.phase is Phase.FINISHED
    assert state.verified
    assert state.done == state.total == 150_000
    assert state.path == str(models / "me/m/m-00001-of-00003.gguf")
    assert {p.name: p.read_bytes() for p in (models / "me/m").iterdir()} == PARTS
    assert [p.name for p in (models / UNFINISHED).iterdir()] == ["queue.json"]


def test_nothing_unfinished_looks_like_a_model(tmp_path: Path) -> None:
    """Two files are whole and the third is cut: a scan of the folder finds none of them."""
    with serve(Hub({"me/m": PARTS})) as hub, queue_in(tmp_path) as queue:
        queue.limit.change(60_000)
        queue.add(order_of(hub))
        until(lambda: only(queue).done > 60_000)
        assert scan([Source(SourceKind.OWN, tmp_path)]) == []
        queue.pause("hub:me/m")
        queue.wait(10)
        assert only(queue).phase is Phase.PAUSED
        assert scan([Source(SourceKind.OWN, tmp_path)]) == []
        names = [path.name for path in tmp_path.rglob("*") if path.is_file()]
        assert not [name for name in names if name.endswith((".gguf", ".safetensors"))]


def test_D6_a_paused_download_goes_on_after_a_restart(tmp_path: Path) -> None:
    content = bytes(100_000)
    with serve(Hub({"me/m": {"m.gguf": content}})) as hub:
        with queue_in(tmp_path) as queue:
            queue.limit.change(100_000)
            queue.add(order_of(hub))
            until(lambda: only(queue).done > 0)
            queue.pause("hub:me/m")
            queue.wait(10)
            before = only(queue).done
        assert 0 < before < len(content)
        with queue_in(tmp_path) as queue:
            assert only(queue).phase is Phase.PAUSED
            assert only(queue).done == before
            queue.resume_all()  # a paused one stays so
            assert only(queue).phase is Phase.PAUSED
            queue.resume("hub:me/m")
            assert queue.wait(10)
            assert only(queue).phase is Phase.FINISHED
        assert hub.ranges()[-1] == f"bytes={before}-"
    assert (tmp_path / "me/m/m.gguf").read_bytes() == content


def test_what_ran_when_the_program_ended_goes_on_by_itself(tmp_path: Path) -> None:
    with serve(Hub({"me/m": PARTS})) as hub:
        with queue_in(tmp_path) as queue:
            queue.limit.change(50_000)
            queue.add(order_of(hub))
            until(lambda: only(queue).done > 0)
        with queue_in(tmp_path) as queue:
            assert only(queue).phase is Phase.WAITING
            queue.resume_all()
            assert queue.wait(10)
            assert only(queue).phase is Phase.FINISHED
        with queue_in(tmp_path) as queue:
            assert only(queue).phase is Phase.FINISHED
            assert only(queue).ended > 0


def test_a_token_is_sent_and_never_kept(tmp_path: Path) -> None:
    hub = Hub({"me/m": PARTS}, gated={"me/m"}, token="secret")
    with serve(hub), queue_in(tmp_path, "secret") as queue:
        queue.add(order_of(hub, account="huggingface"))
        assert queue.wait(10)
        assert only(queue).phase is Phase.FINISHED
    kept = (tmp_path / UNFINISHED / "queue.json").read_text()
    assert "secret" not in kept


def test_a_fault_of_one_file_stops_the_order_and_can_be_retried(tmp_path: Path) -> None:
    wrong = Mischief(statuses=[403])
    with serve(Hub({"me/m": PARTS}, mischief=wrong)) as hub, queue_in(tmp_path) as queue:
        queue.add(order_of(hub))
        assert queue.wait(10)
        state = only(queue)
        assert state.phase is Phase.FAILED
        assert state.fault is not None
        assert state.fault.kind is FaultKind.ACCESS_REFUSED
        queue.resume("hub:me/m")
        assert queue.wait(10)
        assert only(queue).phase is Phase.FINISHED
        assert only(queue).fault is None


def test_why_it_failed_is_still_told_after_a_restart(tmp_path: Path) -> None:
    with serve(Hub({"me/m": PARTS}, gated={"me/m"}, token="right")) as hub:
        order = replace(order_of(hub), page=f"{hub.address}/me/m")
        with queue_in(tmp_path) as queue:
            queue.add(order)
            assert queue.wait(10)
            before = only(queue).fault
        with queue_in(tmp_path) as queue:
            queue.resume_all()
            assert only(queue).phase is Phase.FAILED
            assert only(queue).fault == before
    assert before == Fault(
        FaultKind.TOKEN_NEEDED, {"host": "127.0.0.1", "address": f"{hub.address}/me/m"}
    )


def test_orders_are_served_in_their_order_and_can_be_moved(tmp_path: Path) -> None:
    names = ("a/1", "a/2", "a/3")
    hub = Hub({name: {f"{n}.gguf": bytes(9000) for n in range(4)} for name in names})
    with serve(hub), queue_in(tmp_path) as queue:
        queue.limit.change(100_000)
        for name in names:
            queue.add(order_of(hub, name))
        queue.move("hub:a/3", 1)
        assert queue.wait(10)
        assert [state.order.key for state in queue.states()] == ["hub:a/1", "hub:a/3", "hub:a/2"]
    # up to three files run at a time, so neighbours may overlap; the first and last may not
    asked = [each.path.split("/")[2] for each in hub.files_asked]
    assert asked.index("3") < asked.index("2")
    assert asked[:3] == ["1"] * 3


def test_a_removed_download_leaves_nothing_and_can_come_again(tmp_path: Path) -> None:
    with serve(Hub({"me/m": PARTS})) as hub, queue_in(tmp_path) as queue:
        queue.limit.change(50_000)
        queue.add(order_of(hub))
        until(lambda: only(queue).done > 0)
        queue.remove("hub:me/m")
        assert queue.states() == []
        queue.wait(10)
        assert list((tmp_path / UNFINISHED).iterdir()) == []
        queue.limit.change(0)
        queue.add(order_of(hub))
        queue.remove("hub:me/m")
        queue.add(order_of(hub))
        assert queue.wait(10)
        assert only(queue).phase is Phase.FINISHED


def test_a_full_disk_is_said_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "engine.library.downloads.disk.shutil.disk_usage",
        lambda _: type("Usage", (), {"free": 140_000})(),
    )
    with serve(Hub({"me/m": PARTS})) as hub, queue_in(tmp_path) as queue:
        with pytest.raises(EngineError) as caught:
            queue.add(order_of(hub))
        assert queue.states() == []
    assert caught.value.fault.kind is FaultKind.DISK_FULL
    assert caught.value.fault.figures["needed"] == 150_000
    assert hub.asked == []


def test_a_file_that_cannot_be_written_is_called_by_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not by the one that it has while it arrives."""

    def refuses(client: object, download: Download, *_: object) -> Path:
        raise write_fault(errno.ENOSPC, "full", download.target, needed=1, kept=1)

    monkeypatch.setattr("engine.library.downloads.queue.fetch", refuses)
    with serve(Hub({"me/m": PARTS})) as hub, queue_in(tmp_path) as queue:
        queue.add(order_of(hub))
        until(lambda: only(queue).fault is not None)
        fault = only(queue).fault
    assert fault is not None
    assert Path(str(fault.figures["path"])).name in PARTS


def test_a_silent_server_does_not_hold_the_end_of_the_program(tmp_path: Path) -> None:
    wrong = Mischief(stalls=True)
    with serve(Hub({"me/m": PARTS}, mischief=wrong)) as hub:
        with queue_in(tmp_path) as queue:
            queue.add(order_of(hub))
            until(lambda: len(hub.files_asked) == 3)
            time.sleep(0.1)
            began = time.monotonic()
            queue.close()
            assert time.monotonic() - began < 5  # the server is silent for 20 s
        hub.stopped.set()


@pytest.mark.parametrize("kept", ["", "[", "7", '[{"order": 3}]', '[{"phase": "waiting"}]'])
def test_a_damaged_record_is_an_empty_queue(tmp_path: Path, kept: str) -> None:
    (tmp_path / UNFINISHED).mkdir()
    (tmp_path / UNFINISHED / "queue.json").write_text(kept)
    with queue_in(tmp_path) as queue:
        assert queue.states() == []


def test_a_record_cannot_point_out_of_the_model_folder(tmp_path: Path) -> None:
    hub = Hub({"me/m": PARTS})
    with serve(hub), queue_in(tmp_path) as queue:
        queue.add(order_of(hub))
        queue.wait(10)
    file = tmp_path / UNFINISHED / "queue.json"
    kept = json.loads(file.read_text())
    kept[0]["order"]["files"][0]["path"] = "../../evil.gguf"
    file.write_text(json.dumps(kept))
    with queue_in(tmp_path) as queue:
        assert queue.states() == []


@pytest.mark.parametrize("path", ["../a", "/a", "a/../b", "", "C:\\a", "a\\b", "a/./../b", "a\0"])
def test_paths_that_leave_the_folder_are_seen(path: str) -> None:
    assert not safe_path(path)
    assert safe_path("資料/a b.gguf")


def test_the_rate_is_of_the_last_seconds() -> None:
    meter = RateMeter()
    for second in range(20):
        meter.count(second * 100 if second < 10 else 900 + (second - 9) * 1000, float(second))
    assert meter.rate(19.0) == pytest.approx(1000)
    assert meter.rate(60.0) == 0


def test_a_file_nobody_vouches_for_takes_no_other_ones_place(tmp_path: Path) -> None:
    contents = {"me/a": {"model.gguf": b"a" * 900}, "me/b": {"model.gguf": b"b" * 900}}
    paths = []
    with serve(Hub(contents)) as hub, queue_in(tmp_path) as queue:
        for repository in ("me/a", "me/b", "me/a"):
            queue.add(order_for_address(f"{hub.address}/{repository}/resolve/main/model.gguf"))
            assert queue.wait(10)
            paths.append(Path(queue.states()[-1].path))
            queue.remove(queue.states()[-1].order.key)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "model/model.gguf", "model 2/model.gguf", "model/model.gguf",
    ]  # fmt: skip
    assert [path.read_bytes()[:1] for path in paths] == [b"a", b"b", b"a"]


def test_a_file_with_a_known_hash_takes_no_different_files_place(tmp_path: Path) -> None:
    """Somebody's own file, a folder or a dangling link of its name stays what it is."""
    own = tmp_path / "me/m"
    own.mkdir(parents=True)
    with serve(Hub({"me/m": PARTS})) as hub:
        names = list(PARTS)
        kept = own / names[0]
        kept.write_bytes(b"mine")
        with queue_in(tmp_path) as queue:
            queue.add(order_of(hub))
            assert queue.wait(10)
            first = only(queue)
            assert first.aside == "m 2"
            assert Path(first.path) == tmp_path / "me/m 2" / names[0]
            assert kept.read_bytes() == b"mine"
            assert [file.name for file in own.iterdir()] == [names[0]]  # none of ours beside it
            kept.unlink()
            kept.symlink_to(tmp_path / "nowhere")
            queue.remove(first.order.key)
            queue.add(order_of(hub))
            assert queue.wait(10)
            assert only(queue).path == first.path  # the same files: nothing is taken from anybody
            kept.unlink()
            kept.mkdir()
            (tmp_path / "me/m 2" / names[1]).write_bytes(b"mine too")
            queue.remove(first.order.key)
            queue.add(order_of(hub))
            assert queue.wait(10)
            assert only(queue).aside == "m 3"
    with queue_in(tmp_path) as queue:  # the window of the next day says it still
        assert only(queue).aside == "m 3"


def test_a_move_that_broke_off_goes_on_where_it_was(tmp_path: Path) -> None:
    """The rest of the files goes where the first ones went, though the first folder is free."""
    taken, names = tmp_path / "me/m", list(PARTS)
    with serve(Hub({"me/m": PARTS})) as hub:
        order, record = order_of(hub), Record(tmp_path, "queue")
        for file in order.files:
            waiting = record.waiting(order, file)
            waiting.parent.mkdir(parents=True, exist_ok=True)
            waiting.write_bytes(PARTS[file.path])
        (tmp_path / "me/m 2").mkdir(parents=True)
        os.replace(record.waiting(order, order.files[1]), tmp_path / "me/m 2" / names[1])
        taken.mkdir()
        (taken / names[1]).write_bytes(b"mine")
        assert record.publish(order) == tmp_path / "me/m 2" / names[0]
    assert sorted(file.name for file in (tmp_path / "me/m 2").iterdir()) == names
    assert [file.read_bytes() for file in taken.iterdir()] == [b"mine"]


def test_the_queue_can_be_looked_at_while_files_move_to_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window asks for its states; comparing with a file of the same name takes seconds."""
    seen: list[Phase] = []

    def looks(record: Record, order: Order) -> Path:
        asking = threading.Thread(target=lambda: seen.append(only(queue).phase))
        asking.start()
        asking.join(10)
        return tmp_path / "m"

    monkeypatch.setattr(Record, "publish", looks)
    with serve(Hub({"me/m": PARTS})) as hub, queue_in(tmp_path) as queue:
        queue.add(order_of(hub))
        assert queue.wait(20)
        assert seen == [Phase.RUNNING]
        assert only(queue).phase is Phase.FINISHED
