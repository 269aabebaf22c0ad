"""A server's address as people type it, made into the one form that is used and compared."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from engine.contract import EngineError, FaultKind

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_VERSION = re.compile(r"^v\d")
_ENDPOINTS = ("/chat/completions", "/completions", "/responses", "/embeddings", "/models")
_HERE_NAMES = (".localhost", ".local", ".lan", ".internal", ".home.arpa")


def server_address(typed: str) -> str:
    """The address below which ``/models`` and ``/chat/completions`` lie, without a last slash.

    Without a scheme it is ``http`` for this computer and the network around it, else ``https``;
    ``/v1`` is added where no part of the path is a version.

    Raises:
        EngineError: ``ADDRESS_INVALID``.
    """
    text = "".join(typed.split())
    if not _SCHEME.match(text):
        text = f"{_guessed_scheme(text)}://{_bracketed(text)}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _invalid(typed) from error
    if parts.scheme.lower() not in {"http", "https"} or not host or "@" in parts.netloc:
        raise _invalid(typed)
    host = (
        "127.0.0.1" if host == "0.0.0.0" else host
    )  # what servers print; nobody can connect to it
    if not _is_host(host):
        raise _invalid(typed)
    shown = f"[{host}]" if ":" in host else host
    place = shown if port is None else f"{shown}:{port}"
    return f"{parts.scheme.lower()}://{place}{_path(parts.path)}"


def is_here(address: str) -> bool:
    """Whether an address is this computer itself: loopback, by number or by its reserved name."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    number = _number(host)
    if isinstance(number, IPv6Address) and number.ipv4_mapped is not None:
        return number.ipv4_mapped.is_loopback
    return number is not None and number.is_loopback


def root_of(address: str) -> str:
    """Scheme, host and port: what a key belongs to, and where a server's own interface lies."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def server_name(address: str) -> str:
    """Host and port, as a person would name the server."""
    return urlsplit(address).netloc or address


def _invalid(typed: str) -> EngineError:
    shown = typed.rpartition("@")[2]  # a password must not be repeated
    return EngineError(FaultKind.ADDRESS_INVALID, address=shown[:200])


def _guessed_scheme(text: str) -> str:
    host = (urlsplit(f"//{_bracketed(text)}").hostname or "") if text.count("[") < 2 else ""
    number = _number(host)
    if number is not None:
        return "http" if number.is_private or number.is_loopback else "https"
    return "http" if "." not in host.strip(".") or host.endswith(_HERE_NAMES) else "https"


def _bracketed(text: str) -> str:
    """An IPv6 number without brackets gets them."""
    host, slash, rest = text.partition("/")
    is_bare = host.count(":") > 1 and not host.startswith("[")
    return f"[{host}]{slash}{rest}" if is_bare else text


def _number(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        return None


def _is_host(host: str) -> bool:
    if ":" in host:
        return _number(host) is not None
    try:
        return bool(re.fullmatch(r"[a-z0-9._-]+", host.encode("idna").decode("ascii").lower()))
    except UnicodeError:
        return False


def _path(path: str) -> str:
    path = re.sub(r"/{2,}", "/", path).rstrip("/")
    for endpoint in _ENDPOINTS:
        path = path.removesuffix(endpoint)
    if any(_VERSION.match(part) for part in path.split("/")):
        return path
    return f"{path}/v1"
