"""The one kind of HTTP client that is used here: the system's certificates and proxies."""

from __future__ import annotations

import ssl
from urllib.parse import urlsplit

import certifi
import httpx

_TIMEOUT = httpx.Timeout(20, connect=10)  # seconds


def open_client(certificate: str = "", proxy: str = "") -> httpx.Client:
    """A client that trusts the system's certificates, certifi's, and ``certificate`` (a file).

    The system's, because companies put theirs there; certifi's, because some Pythons on macOS
    have no others. Without ``proxy`` the system's proxy settings hold. A credential in a request's
    ``Authorization`` header does not follow a redirect to another host (httpx drops it there).
    """
    trusted = ssl.create_default_context()
    trusted.load_verify_locations(certifi.where())
    if certificate:
        trusted.load_verify_locations(certificate)
    return httpx.Client(
        verify=trusted, proxy=proxy or None, follow_redirects=True, timeout=_TIMEOUT
    )


def without_secrets(address: str) -> str:
    """The address without a password or a signed query, fit to be shown."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def host_of(address: str) -> str:
    """The server's name in an address, or the address where it has none."""
    return urlsplit(address).hostname or address
