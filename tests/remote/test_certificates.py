"""A server with a certificate of its own authority: refused, until its file is named."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from engine.contract import EngineError, FaultKind
from engine.library.servers.access import Access
from engine.library.servers.asking import ask_server
from engine.library.servers.card import RemoteCard
from tests.doubles import servers
from tests.doubles.certificates import own_authority


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, ssl.SSLContext]:
    return own_authority(tmp_path)


def test_an_own_authority_is_trusted_only_when_it_is_named(
    certificate: tuple[Path, ssl.SSLContext],
) -> None:
    path, context = certificate
    with servers.serving(context) as server:
        server.answers = {"/v1/models": [servers.models("m")]}
        with pytest.raises(EngineError) as caught:
            ask_server(Access(RemoteCard(server.address, "m")))
        assert caught.value.fault.kind is FaultKind.SERVER_UNTRUSTED
        told = ask_server(Access(RemoteCard(server.address, "m", certificate=str(path))))
    assert [model.id for model in told.models] == ["m"]


@pytest.mark.parametrize("content", [None, b"no certificate"])
def test_a_certificate_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "authority.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EngineError) as caught:
        ask_server(Access(RemoteCard("https://127.0.0.1:9/v1", "m", certificate=str(path))))
    assert caught.value.fault.kind is FaultKind.CERTIFICATE_UNREADABLE
