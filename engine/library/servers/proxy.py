"""A proxy with a password: what a file may say of it, and what the keyring keeps."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from engine.library.secrets import Secrets
from engine.library.servers.card import RemoteCard, ServerKeys, key_account


def split_proxy(proxy: str) -> tuple[str, str]:
    """A proxy's address without its password, and the password ("" where there is none)."""
    try:
        parts = urlsplit(proxy)
    except ValueError:
        return proxy, ""
    user, at, host = parts.netloc.rpartition("@")
    name, colon, password = user.partition(":")
    if not at or not colon:
        return proxy, ""
    return parts._replace(netloc=f"{name}@{host}").geturl(), unquote(password)


def with_password(proxy: str, password: str) -> str:
    """A proxy's address with a password beside its user's name, where it has one."""
    plain, own = split_proxy(proxy)
    password = own or password  # what was just typed is newer than what is kept
    parts = urlsplit(plain)
    user, at, host = parts.netloc.rpartition("@")
    if not at or not password:
        return plain
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}").geturl()


def proxy_account(proxy: str) -> str:
    """Under which name the keyring has a proxy's password; empty where it has no user."""
    netloc = urlsplit(split_proxy(proxy)[0]).netloc
    return f"proxy:{netloc}" if "@" in netloc else ""


def kept_keys(card: RemoteCard, secrets: Secrets) -> ServerKeys:
    """What the keyring has for a card; a password that its file has goes first."""
    account = proxy_account(card.proxy)
    password = split_proxy(card.proxy)[1] or (secrets.read(account) if account else "")
    return ServerKeys(secrets.read(key_account(card.address)), password)
