"""Every way in which a hub's answers go wrong ends in the right bytes or in a named fault."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from engine.contract import EngineError, Fault, FaultKind
from engine.library.downloads.client import open_client
from engine.library.downloads.pace import Patience, RateLimit
from engine.library.downloads.transfer import Cancelled, Download, Terms, fetch
from tests.doubles.hub import Hub, Mischief, git_sha1, serve, sha256

CONTENT = bytes(range(256)) * 8 + b"end."  # 2,052 bytes
HASTY = Patience(tries=3, pause=0.01, longest_wait=5, window=0.1, least=1000)


def hub_with(mischief: Mischief, **others: object) -> Hub:
    return Hub({"me/m": {"m.gguf": CONTENT}}, mischief=mischief, **others)  # type: ignore[arg-type]


def get(
    hub: Hub, folder: Path, change: Callable[[Download], Download] = lambda download: download
) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []
    address = f"{hub.address}/me/m/resolve/main/m.gguf"
    download = Download(address, folder / "m", sha256(CONTENT), size=len(CONTENT))
    with open_client() as client:
        fetch(
            client,
            change(download),
            lambda *at: seen.append(at),
            lambda: False,
            Terms(RateLimit(), HASTY),
        )
    assert (folder / "m").read_bytes() == CONTENT
    assert [path.name for path in folder.iterdir()] == ["m"]
    return seen


def fault_of(hub: Hub, folder: Path) -> Fault:
    with pytest.raises(EngineError) as caught:
        get(hub, folder)
    assert not (folder / "m").exists()
    return caught.value.fault


@pytest.mark.parametrize("at", [0, 1, 2, 511, 512, 1024, 1682, 2011, 2050, 2051])
def test_D4_a_connection_cut_at_any_byte_is_continued(tmp_path: Path, at: int) -> None:
    with serve(hub_with(Mischief(cuts=[at]))) as hub:
        get(hub, tmp_path)
    assert hub.ranges() == ["", f"bytes={at}-" if at else ""]


def test_D4_a_small_file_is_continued_from_each_of_its_bytes(tmp_path: Path) -> None:
    """Every byte once: 64 cuts of a file of 64 bytes, each in a download of its own."""
    content = bytes(range(64))
    with serve(Hub({"me/m": {"m.gguf": content}})) as hub, open_client() as client:
        address = f"{hub.address}/me/m/resolve/main/m.gguf"
        for at in range(len(content)):
            hub.mischief = Mischief(cuts=[at])
            download = Download(address, tmp_path / f"{at}", sha256(content), size=len(content))
            fetch(client, download, lambda *_: None, lambda: False, Terms(RateLimit(), HASTY))
            assert (tmp_path / f"{at}").read_bytes() == content
    wanted = [["", f"bytes={at}-" if at else ""] for at in range(len(content))]
    assert hub.ranges() == [each for pair in wanted for each in pair]


@pytest.mark.parametrize("at", [1, 1682, 2051])
def test_D4_an_end_without_a_length_is_no_end(tmp_path: Path, at: int) -> None:
    """Such an answer ends like a whole one: only the size that the hub published tells."""
    with serve(hub_with(Mischief(ends=[at]))) as hub:
        get(hub, tmp_path)
    assert hub.ranges() == ["", f"bytes={at}-"]


def test_many_cuts_are_all_continued(tmp_path: Path) -> None:
    with serve(hub_with(Mischief(cuts=[200] * 10))) as hub:
        get(hub, tmp_path)
    assert len(hub.ranges()) == 11


def test_D2_a_server_that_ignores_ranges_begins_anew(tmp_path: Path) -> None:
    with serve(hub_with(Mischief(cuts=[516], ignores_ranges=True))) as hub:
        get(hub, tmp_path)
    assert hub.ranges() == ["", "bytes=516-"]


def test_a_range_from_another_place_is_not_appended(tmp_path: Path) -> None:
    with serve(hub_with(Mischief(cuts=[516], shifts_ranges=1))) as hub:
        get(hub, tmp_path)
    assert hub.ranges() == ["", "bytes=516-", ""]


@pytest.mark.parametrize("cuts", [[], [40]])
def test_a_packed_answer_is_unpacked(tmp_path: Path, cuts: list[int]) -> None:
    with serve(hub_with(Mischief(packs=True, cuts=cuts))) as hub:
        get(hub, tmp_path)


def test_a_server_that_is_busy_is_asked_again_when_it_says(tmp_path: Path) -> None:
    wrong = Mischief(statuses=[429], retry_after="1")
    began = time.monotonic()
    with serve(hub_with(wrong)) as hub:
        get(hub, tmp_path)
    assert time.monotonic() - began >= 0.9


@pytest.mark.parametrize(
    ("statuses", "after", "seconds"), [([429] * 3, "", 0), ([429], "3600", 3600)]
)
def test_a_server_that_stays_busy_is_named(
    tmp_path: Path, statuses: list[int], after: str, seconds: int
) -> None:
    with serve(hub_with(Mischief(statuses=statuses, retry_after=after))) as hub:
        fault = fault_of(hub, tmp_path)
    assert fault == Fault(FaultKind.SERVER_BUSY, {"host": "127.0.0.1", "seconds": seconds})


def test_a_broken_server_is_asked_again_and_then_named(tmp_path: Path) -> None:
    with serve(hub_with(Mischief(statuses=[500, 502]))) as hub:
        get(hub, tmp_path)
    with serve(hub_with(Mischief(statuses=[500] * 3))) as hub:
        fault = fault_of(hub, tmp_path / "other")
    assert (fault.kind, fault.figures["status"]) == (FaultKind.DOWNLOAD_REFUSED, 500)


def test_a_gated_model_wants_a_token_and_then_the_right_one(tmp_path: Path) -> None:
    def with_token(token: str) -> Callable[[Download], Download]:
        return lambda d: Download(d.address, d.target, d.sha256, size=d.size, token=token)

    with serve(hub_with(Mischief(), gated={"me/m"}, token="right", expired="old")) as hub:
        assert fault_of(hub, tmp_path).kind is FaultKind.TOKEN_NEEDED
        kinds = {"wrong": FaultKind.ACCESS_REFUSED, "old": FaultKind.TOKEN_REFUSED}
        for token, kind in kinds.items():
            with pytest.raises(EngineError) as caught:
                get(hub, tmp_path, with_token(token))
            assert caught.value.fault.kind is kind
            assert token not in str(caught.value)
        get(Hub(address=hub.address), tmp_path / "x", with_token("right"))


def test_the_token_does_not_follow_to_another_host(tmp_path: Path) -> None:
    """``localhost`` is another host than 127.0.0.1, on the same machine."""
    with serve(hub_with(Mischief())) as far, serve(hub_with(Mischief())) as hub:
        hub.far = far.address.replace("127.0.0.1", "localhost")
        get(
            hub, tmp_path,
            lambda d: Download(d.address, d.target, d.sha256, size=d.size, token="secret"),
        )  # fmt: skip
    assert hub.files_asked[0].headers["authorization"] == "Bearer secret"
    assert len(far.files_asked) == 1
    assert not any("secret" in value for value in far.files_asked[0].headers.values())


@pytest.mark.parametrize("by", [-52, 40])
def test_another_length_than_published_is_named(tmp_path: Path, by: int) -> None:
    with serve(hub_with(Mischief(length=by))) as hub:
        fault = fault_of(hub, tmp_path)
    assert fault.kind is FaultKind.FILE_CHANGED
    assert (fault.figures["size"], fault.figures["expected"]) == (2052 + by, 2052)
    assert list(tmp_path.iterdir()) == []


def test_more_bytes_than_published_end_the_download(tmp_path: Path) -> None:
    wrong = Mischief(ends=[9999])
    with serve(Hub({"me/m": {"m.gguf": CONTENT + b"!"}}, mischief=wrong)) as hub:
        assert fault_of(hub, tmp_path).kind is FaultKind.FILE_CHANGED


def test_a_wrong_hash_throws_the_bytes_away(tmp_path: Path) -> None:
    with serve(Hub({"me/m": {"m.gguf": CONTENT[:-1] + b"!"}})) as hub:
        fault = fault_of(hub, tmp_path)
    assert fault.kind is FaultKind.HASH_MISMATCH
    assert list(tmp_path.iterdir()) == []


def test_gits_own_hash_is_compared(tmp_path: Path) -> None:
    with serve(hub_with(Mischief())) as hub:
        get(hub, tmp_path, lambda d: Download(d.address, d.target, git_sha1=git_sha1(CONTENT)))
        with pytest.raises(EngineError) as caught:
            get(hub, tmp_path / "x", lambda d: Download(d.address, d.target, git_sha1="0" * 40))
    assert caught.value.fault.kind is FaultKind.HASH_MISMATCH


def test_a_file_that_disappears_is_named_and_its_bytes_stay(tmp_path: Path) -> None:
    with serve(hub_with(Mischief(cuts=[516], vanishes_after=1))) as hub:
        assert fault_of(hub, tmp_path).kind is FaultKind.FILE_GONE
    assert (tmp_path / "m.part").stat().st_size == 516


def test_a_file_that_changes_in_the_middle_is_not_spliced(tmp_path: Path) -> None:
    """Without a published hash only the server's tag tells that these are two files."""
    with serve(hub_with(Mischief(cuts=[516], changes_after=1))) as hub, open_client() as client:
        download = Download(f"{hub.address}/me/m/resolve/main/m.gguf", tmp_path / "m")
        fetch(client, download, lambda *_: None, lambda: False, Terms(RateLimit(), HASTY))
    assert (tmp_path / "m").read_bytes() == bytes(reversed(CONTENT))
    assert hub.files_asked[1].headers["if-range"] == f'"{sha256(CONTENT)[:8]}"'


def test_the_tag_outlives_the_program(tmp_path: Path) -> None:
    (tmp_path / "m.part").write_bytes(b"x" * 516)
    (tmp_path / "m.part.etag").write_text('"older"')
    with serve(hub_with(Mischief())) as hub, open_client() as client:
        download = Download(f"{hub.address}/me/m/resolve/main/m.gguf", tmp_path / "m")
        fetch(client, download, lambda *_: None, lambda: False, Terms(RateLimit(), HASTY))
    assert (tmp_path / "m").read_bytes() == CONTENT


def test_a_trickle_is_given_up(tmp_path: Path) -> None:
    with serve(hub_with(Mischief(trickle=0.01))) as hub:
        fault = fault_of(hub, tmp_path)
    assert fault == Fault(FaultKind.NETWORK_SLOW, {"host": "127.0.0.1"})
    assert (tmp_path / "m.part").stat().st_size > 0


def test_a_silent_server_does_not_hold_a_cancelled_download(tmp_path: Path) -> None:
    import threading

    terms, stop = Terms(RateLimit(), HASTY), threading.Event()
    with serve(hub_with(Mischief(stalls=True))) as hub, open_client() as client:
        download = Download(f"{hub.address}/me/m/resolve/main/m.gguf", tmp_path / "m")

        def cut() -> None:
            while not hub.files_asked:
                time.sleep(0.01)
            time.sleep(0.1)
            stop.set()
            terms.wire.cut()

        thread = threading.Thread(target=cut)
        thread.start()
        began = time.monotonic()
        with pytest.raises(Cancelled):
            fetch(client, download, lambda *_: None, stop.is_set, terms)
        thread.join()
        hub.stopped.set()
    assert time.monotonic() - began < 10  # the server would have been silent for 20 s


def test_systems_proxy_settings_are_honoured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy is asked with the whole address, which this hub's path shows."""
    with serve(Hub()) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.address)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        with open_client() as client:
            download = Download("http://hub.invalid/me/m/resolve/main/m.gguf", tmp_path / "m")
            with pytest.raises(EngineError):
                fetch(client, download, lambda *_: None, lambda: False, Terms(RateLimit(), HASTY))
    assert proxy.asked[0].path == "http://hub.invalid/me/m/resolve/main/m.gguf"


def test_a_limit_is_shared_and_can_be_lifted() -> None:
    limit, began = RateLimit(100_000), time.monotonic()
    limit.take(20_000, lambda: False)
    assert time.monotonic() - began >= 0.18
    limit.take(10_000_000, lambda: True)  # whoever is cancelled does not wait
    limit.change(0)
    limit.take(10_000_000, lambda: False)
    assert time.monotonic() - began < 10


def test_timeouts_are_everywhere() -> None:
    with open_client() as client:
        assert None not in client.timeout.as_dict().values()
        assert isinstance(client, httpx.Client)
