"""A server with a certificate of its own authority: refused, until its file is named."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from engine.contract import EngineError, FaultKind
from engine.library.servers.access import Access
from engine.library.servers.asking import ask_server
from engine.library.servers.card import RemoteCard
from tests.doubles import servers


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, ssl.SSLContext]:
    """A file that vouches for 127.0.0.1, and what a server needs to show it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Inkstone's test")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path, private = tmp_path / "authority.pem", tmp_path / "key.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, private)
    return path, context


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
    assert caught.value.fault.kind is FaultKind.FILE_UNREADABLE
