"""What a server is asked when a model is added: its list, its contexts, a first word."""

from __future__ import annotations

import pytest

from engine.contract import EngineError, FaultKind
from engine.library.servers.access import Access
from engine.library.servers.asking import ask_server, try_model
from engine.library.servers.card import RemoteCard
from engine.library.servers.known import ServerKind
from tests.doubles import servers
from tests.doubles.servers import Answer, serving

LISTS: dict[str, tuple[dict[str, list[Answer]], ServerKind, int]] = {
    "vllm": ({"/v1/models": [servers.models("m", owned_by="vllm", max_model_len=4096)]},
             ServerKind.VLLM, 4096),
    "llama.cpp": (
        {"/v1/models": [servers.models("m", owned_by="llamacpp", meta={"n_ctx_train": 131072})],
         "/props": [servers.status(200, {"default_generation_settings": {"n_ctx": 2048}})]},
        ServerKind.LLAMA_CPP, 2048),
    "lm-studio": (
        {"/v1/models": [servers.models("m", owned_by="organization_owner")],
         "/api/v0/models": [servers.status(200, {"data": [
             {"id": "m", "loaded_context_length": 8192, "max_context_length": 40960}]})]},
        ServerKind.LM_STUDIO, 8192),
    "ollama": (
        {"/v1/models": [servers.models("m", owned_by="library")],
         "/api/ps": [servers.status(200, {"models": [{"name": "m", "context_length": 4096}]})]},
        ServerKind.OLLAMA, 4096),
    "ollama, not loaded": (
        {"/v1/models": [servers.models("m", owned_by="library")], "/api/ps": [servers.html(500)]},
        ServerKind.OLLAMA, 0),
    "context_length": ({"/v1/models": [servers.models("m", context_length=32768)]},
                       ServerKind.OTHER, 32768),
    "nonsense": ({"/v1/models": [servers.models("m", max_model_len="many", meta=[])]},
                 ServerKind.OTHER, 0),
    "a bare list": ({"/v1/models": [servers.status(200, [{"id": "m"}, 3, {"id": 4}])]},
                    ServerKind.OTHER, 0),
}  # fmt: skip
BAD: dict[str, tuple[Answer, FaultKind]] = {
    "html": (servers.html(200), FaultKind.SERVER_FOREIGN),
    "html 404": (servers.html(404), FaultKind.SERVER_FOREIGN),
    "no list": (servers.status(200, {"hello": 1}), FaultKind.SERVER_FOREIGN),
    "401": (servers.status(401, {"error": "who?"}), FaultKind.KEY_NEEDED),
    "403": (servers.status(403, {"error": {"message": "not you"}}), FaultKind.SERVER_FORBIDS),
    "429": (servers.status(429, {}, "Retry-After: 7\r\n"), FaultKind.SERVER_OVERLOADED),
    "503": (servers.status(503, {"detail": "loading"}), FaultKind.SERVER_FAILED),
    "redirect": (servers.status(307, {}, "Location: https://evil.example/v1/models\r\n"),
                 FaultKind.SERVER_MOVED),
    "hangs up": ([b""], FaultKind.SERVER_UNREACHABLE),
    "no http": ([b"SSH-2.0-OpenSSH_9\r\n"], FaultKind.SERVER_UNREACHABLE),
}  # fmt: skip


def access(address: str, key: str = "") -> Access:
    return Access(RemoteCard(address, "m"), key)


@pytest.mark.parametrize("name", LISTS)
def test_a_server_tells_its_kind_and_its_contexts(name: str) -> None:
    answers, kind, context = LISTS[name]
    with serving() as server:
        server.answers = {path: list(each) for path, each in answers.items()}
        told = ask_server(access(server.address))
    assert told.kind is kind
    assert [(model.id, model.context) for model in told.models] == [("m", context)]
    assert told.answer_s > 0


@pytest.mark.parametrize("name", BAD)
def test_a_bad_list_is_a_named_fault(name: str) -> None:
    answer, kind = BAD[name]
    with serving() as server:
        server.answers = {"/v1/models": [answer]}
        with pytest.raises(EngineError) as caught:
            ask_server(access(server.address))
    assert caught.value.fault.kind is kind


def test_a_redirect_is_not_followed_and_told() -> None:
    with serving() as other, serving() as server:
        moved = f"Location: {other.address}/models?token=secret\r\n"
        server.answers = {"/v1/models": [servers.status(302, {}, moved)]}
        with pytest.raises(EngineError) as caught:
            ask_server(access(server.address, "sk-secret"))
        assert not other.asked
    assert caught.value.fault.figures["address"] == f"{other.address}/models"


def test_the_key_goes_with_every_question_and_never_into_a_fault() -> None:
    key = "sk-very-secret"
    with serving() as server:
        said = {"error": {"message": f"Incorrect API key provided: {key}"}}
        server.answers = {"/v1/models": [servers.status(400, said)]}
        asking = access(server.address, key)
        with pytest.raises(EngineError) as caught:
            ask_server(asking)
        assert server.asked[0].headers["authorization"] == f"Bearer {key}"
    assert key not in str(caught.value)
    assert key not in repr(asking)


def test_a_wrong_key_is_told_from_a_missing_one() -> None:
    with serving() as server:
        server.answers = {"/v1/models": [servers.status(401, {})]}
        with pytest.raises(EngineError) as caught:
            ask_server(access(server.address, "wrong"))
    assert caught.value.fault.kind is FaultKind.KEY_REFUSED


@pytest.mark.parametrize("key", ["schlüssel", "line\nbreak", "密钥"])
def test_a_key_that_no_header_can_carry_is_refused(key: str) -> None:
    with pytest.raises(EngineError) as caught:
        ask_server(access("http://127.0.0.1:9/v1", key))
    assert caught.value.fault.kind is FaultKind.SETTING_INVALID
    assert key not in str(caught.value)


def test_nobody_listens() -> None:
    with serving() as server:
        address = server.address
    with pytest.raises(EngineError) as caught:
        ask_server(access(address))
    assert caught.value.fault.kind is FaultKind.SERVER_UNREACHABLE


def test_offline_asks_nothing_but_this_computer() -> None:
    card = RemoteCard("http://192.0.2.1/v1", "m")
    with pytest.raises(EngineError) as caught:
        ask_server(Access(card, is_offline=True))
    assert caught.value.fault.kind is FaultKind.OFFLINE
    with serving() as server:
        server.answers = {"/v1/models": [servers.models("m")]}
        assert ask_server(Access(RemoteCard(server.address, "m"), is_offline=True)).models


def test_this_computer_is_never_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as proxy, serving() as server:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        server.answers = {"/v1/models": [servers.models("m")]}
        card = RemoteCard(server.address, "m", proxy=f"http://127.0.0.1:{proxy.port}")
        assert ask_server(Access(card)).models
        assert not proxy.asked


@pytest.mark.parametrize("by", ["setting", "environment"])
def test_elsewhere_is_asked_through_the_proxy(monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    with serving() as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        if by == "environment":
            monkeypatch.setenv("HTTP_PROXY", address)
            monkeypatch.delenv("NO_PROXY", raising=False)
        card = RemoteCard("http://server.invalid/v1", "m", proxy=address if by == "setting" else "")
        proxy.answers = {"http://server.invalid/v1/models": [servers.models("far")]}
        assert [model.id for model in ask_server(Access(card)).models] == ["far"]


def test_a_test_measures_the_first_piece() -> None:
    with serving() as server:
        server.answers = {"/v1/chat/completions": [servers.reply("Hello")]}
        seconds = try_model(access(server.address))
        assert 0 < seconds < 60
        assert server.asked[0].json()["model"] == "m"


def test_a_test_of_a_server_that_does_not_stream() -> None:
    whole = {"choices": [{"message": {"content": "Hello"}}]}
    with serving() as server:
        server.answers = {"/v1/chat/completions": [servers.status(200, whole)]}
        assert try_model(access(server.address)) > 0


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (servers.html(200), FaultKind.SERVER_FOREIGN),
        (servers.stream(b"data: {broken\n\n"), FaultKind.SERVER_FOREIGN),
        (servers.stream(servers.DONE), FaultKind.SERVER_FOREIGN),
        (servers.stream(servers.event({"error": {"message": "no"}})), FaultKind.SERVER_REFUSED),
        (servers.status(200, {"error": {"message": "no"}}), FaultKind.SERVER_REFUSED),
        (servers.status(404, {"error": {"message": "no model m"}}), FaultKind.MODEL_GONE),
    ],
)
def test_a_test_that_fails_says_why(answer: Answer, kind: FaultKind) -> None:
    with serving() as server:
        server.answers = {"/v1/chat/completions": [answer]}
        with pytest.raises(EngineError) as caught:
            try_model(access(server.address))
    assert caught.value.fault.kind is kind
