"""Addresses as people type them, made into one form."""

from __future__ import annotations

import pytest

from engine.contract import EngineError, FaultKind
from engine.library.servers.address import is_here, root_of, server_address, server_name
from engine.library.servers.known import KNOWN

TYPED = {
    "localhost:11434": "http://localhost:11434/v1",
    " http://localhost:11434/ ": "http://localhost:11434/v1",
    "http://localhost:1234/v1/": "http://localhost:1234/v1",
    "http://localhost:8000/v1/chat/completions": "http://localhost:8000/v1",
    "http://localhost:8000/v1/models": "http://localhost:8000/v1",
    "HTTP://LocalHost:8000//v1//": "http://localhost:8000/v1",
    "127.0.0.1:8080": "http://127.0.0.1:8080/v1",
    "0.0.0.0:8000": "http://127.0.0.1:8000/v1",
    "192.168.1.20:8000": "http://192.168.1.20:8000/v1",
    "gpu-box:8000": "http://gpu-box:8000/v1",
    "gpu-box.lan": "http://gpu-box.lan/v1",
    "::1": "http://[::1]/v1",
    "[::1]:8000": "http://[::1]:8000/v1",
    "http://[fd00::5]:8000/v1": "http://[fd00::5]:8000/v1",
    "2001:4860:4860::8888": "https://[2001:4860:4860::8888]/v1",
    "api.deepseek.com": "https://api.deepseek.com/v1",
    "https://open.bigmodel.cn/api/paas/v4/": "https://open.bigmodel.cn/api/paas/v4",
    "https://openrouter.ai/api": "https://openrouter.ai/api/v1",
    "https://example.com/v1?key=secret#part": "https://example.com/v1",
    "https://例子.中国/v1": "https://例子.中国/v1",
}
REFUSED = (
    "",
    "   ",
    "ftp://host/v1",
    "file:///etc/passwd",
    "http://",
    "http://host:99999/v1",
    "http://user:pass@host/v1",
    "http://ho st!/v1",
    "http://[::1/v1",
    "javascript:alert(1)",
)


@pytest.mark.parametrize("typed", TYPED)
def test_an_address_is_made_whole(typed: str) -> None:
    made = server_address(typed)
    assert made == TYPED[typed]
    assert server_address(made) == made


@pytest.mark.parametrize("typed", REFUSED)
def test_what_is_no_address_is_refused_by_name_and_without_its_password(typed: str) -> None:
    with pytest.raises(EngineError) as caught:
        server_address(typed)
    assert caught.value.fault.kind is FaultKind.ADDRESS_INVALID
    assert "pass@" not in str(caught.value)


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.kind.value)
def test_known_addresses_are_whole_already(known: object) -> None:
    address = known.address  # type: ignore[attr-defined]
    assert server_address(address) == address


@pytest.mark.parametrize(
    "address",
    ["http://localhost:1/v1", "http://127.9.9.9/v1", "http://[::1]:8/v1", "http://a.localhost/v1",
     "http://[::ffff:127.0.0.1]/v1", "http://localhost./v1"],
)  # fmt: skip
def test_loopback_is_here(address: str) -> None:
    assert is_here(address)


@pytest.mark.parametrize(
    "address",
    ["http://192.168.1.2/v1", "https://localhost.evil.com/v1", "http://127.0.0.1.evil.com/v1",
     "http://[fe80::1]/v1", "http://10.0.0.1/v1", "http://mylocalhost/v1"],
)  # fmt: skip
def test_everything_else_is_not(address: str) -> None:
    assert not is_here(address)


def test_a_server_has_a_name_and_a_root() -> None:
    assert server_name("https://api.x.com:444/a/v1") == "api.x.com:444"
    assert root_of("https://api.x.com:444/a/v1") == "https://api.x.com:444"
