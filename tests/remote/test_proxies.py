"""A proxy on the way to a server: asked with its password, which no card and no sentence holds."""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.contract import EngineError, FaultKind
from engine.library.servers.access import Access
from engine.library.servers.asking import ask_server
from engine.library.servers.card import RemoteCard
from engine.library.servers.proxy import proxy_account, split_proxy, with_password
from tests.doubles import servers
from tests.doubles.servers import Server, serving

FAR = "http://far.invalid:8000/v1"


@pytest.fixture
def proxy() -> Iterator[Server]:
    with serving() as state:
        state.answers = {f"{FAR}/models": [servers.models("m")]}
        yield state


@pytest.mark.parametrize(
    ("proxy", "plain", "password"),
    [
        ("http://ann:pw@box:3128", "http://ann@box:3128", "pw"),
        ("http://ann:p%40%3Aw@box", "http://ann@box", "p@:w"),
        ("http://ann@box:3128", "http://ann@box:3128", ""),
        ("http://box:3128", "http://box:3128", ""),
        ("", "", ""),
    ],
)
def test_a_password_is_taken_out_and_put_back(proxy: str, plain: str, password: str) -> None:
    assert split_proxy(proxy) == (plain, password)
    assert with_password(plain, password) == proxy
    assert proxy_account(proxy) == (f"proxy:{plain.split('//')[1]}" if "@" in plain else "")


def test_a_proxy_is_asked_with_its_password(proxy: Server) -> None:
    card = RemoteCard(FAR, "m", proxy=f"http://ann@127.0.0.1:{proxy.port}")
    told = ask_server(Access(card, "sk-1", proxy_password="p@:w"))
    assert [model.id for model in told.models] == ["m"]
    said = proxy.asked[0].headers["proxy-authorization"].removeprefix("Basic ")
    assert base64.b64decode(said) == b"ann:p@:w"


def test_a_proxy_that_refuses_is_named_without_its_password(proxy: Server) -> None:
    proxy.answers[f"{FAR}/models"] = [servers.status(407, {})]
    card = RemoteCard(FAR, "m", proxy=f"http://ann:secret@127.0.0.1:{proxy.port}")
    with pytest.raises(EngineError) as caught:
        ask_server(Access(card))
    assert caught.value.fault.kind is FaultKind.PROXY_REFUSES
    assert "secret" not in str(caught.value.fault.figures)


def test_a_proxy_that_is_not_there_is_said_instead_of_the_server() -> None:
    with socket.socket() as bound:  # and not listening: whoever connects is refused
        bound.bind(("127.0.0.1", 0))
        card = RemoteCard(FAR, "m", proxy=f"http://127.0.0.1:{bound.getsockname()[1]}")
        with pytest.raises(EngineError) as caught:
            ask_server(Access(card))
    assert caught.value.fault.kind is FaultKind.PROXY_REFUSES


@pytest.mark.parametrize("address", ["ftp://ann:secret@box", "socks9://box", "no address"])
def test_what_is_no_proxy_is_said_without_its_password(address: str) -> None:
    with pytest.raises(EngineError) as caught:
        ask_server(Access(RemoteCard(FAR, "m", proxy=address)))
    assert caught.value.fault.kind is FaultKind.PROXY_INVALID
    assert "secret" not in str(caught.value.fault.figures)


def test_an_encrypted_connection_through_a_proxy_that_refuses(proxy: Server) -> None:
    """The proxy is asked to connect, and its refusal is the proxy's and not the server's."""
    proxy.answers["far.invalid:443"] = [servers.status(407, {})]
    card = RemoteCard("https://far.invalid/v1", "m", proxy=f"http://127.0.0.1:{proxy.port}")
    with pytest.raises(EngineError) as caught:
        ask_server(Access(card))
    assert caught.value.fault.kind is FaultKind.PROXY_REFUSES


def test_this_computer_is_never_asked_through_a_proxy(proxy: Server, tmp_path: Path) -> None:
    with serving() as here:
        here.answers = {"/v1/models": [servers.models("near")]}
        card = RemoteCard(here.address, "near", proxy=f"http://127.0.0.1:{proxy.port}")
        assert [model.id for model in ask_server(Access(card)).models] == ["near"]
    assert proxy.asked == []
