"""The addresses that the server answers, as an ASGI application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.contract import Loaded
from engine.server.answers import Answers, Commands, EventStream, Writer
from engine.server.asking import Asking
from engine.server.chat import ChatWriter
from engine.server.completions import CompletionWriter
from engine.server.errors import ApiError, client_gone
from engine.server.fields import ChatRequest, CompletionRequest, ResponseRequest, Sampled, read
from engine.server.guard import HEALTH, Guard
from engine.server.journal import Entry, Told, told_at_end
from engine.server.responses import (
    ResponseWriter,
    nothing_below_responses,
    response_commands,
)
from engine.server.settings import ServerSettings
from engine.server.waiting import unless_gone
from engine.server.wishes import chat_commands, completion_commands

_Asked = TypeVar("_Asked", bound=Sampled)
_Made = tuple[Commands, Writer]
_METHODS = ["GET", "POST", "DELETE"]


def application(settings: ServerSettings, asking: Asking, told: Told) -> Starlette:
    """Everything between a connection and the engine.

    Args:
        settings: whom to answer.
        asking: the way to the engine.
        told: receives a record of every request that was let in.
    """
    pages = _Pages(Answers(asking), asking, told)
    middleware = [Middleware(Guard, settings=settings)]
    if settings.origins:
        cors = Middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["*"],
            allow_headers=["*"],
        )
        middleware.insert(0, cors)
    return Starlette(
        routes=pages.routes(),
        middleware=middleware,
        exception_handlers={
            ApiError: _on_api_error,
            HTTPException: _on_http_error,
            Exception: _on_bug,
        },
    )


class _Pages:
    """The endpoints."""

    def __init__(self, answers: Answers, asking: Asking, told: Told) -> None:
        self._answers, self._asking, self._told = answers, asking, told

    def routes(self) -> list[Route]:
        """Each address with what answers it."""
        return [
            Route(HEALTH, self._health),
            Route("/v1/models", self._models),
            Route("/v1/models/{name:path}", self._model),
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/completions", self._complete, methods=["POST"]),
            Route("/v1/responses", self._respond, methods=["POST"]),
            Route("/v1/responses/{below:path}", self._below_responses, methods=_METHODS),
            Route("/v1/embeddings", self._embed, methods=["POST"]),
        ]

    async def _health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _models(self, request: Request) -> Response:
        loaded = self._asking.known
        data = [_model_json(loaded)] if loaded else []
        return JSONResponse({"object": "list", "data": data})

    async def _model(self, request: Request) -> Response:
        found = self._answers.named(request.path_params["name"], self._asking.known)
        return JSONResponse(_model_json(found))

    async def _chat(self, request: Request) -> Response:
        def make(asked: ChatRequest, loaded: Loaded) -> _Made:
            return chat_commands(asked, loaded), ChatWriter(asked, loaded.model.name)

        return await self._answer(request, ChatRequest, make)

    async def _complete(self, request: Request) -> Response:
        def make(asked: CompletionRequest, loaded: Loaded) -> _Made:
            return completion_commands(asked, loaded), CompletionWriter(asked, loaded.model.name)

        return await self._answer(request, CompletionRequest, make)

    async def _respond(self, request: Request) -> Response:
        def make(asked: ResponseRequest, loaded: Loaded) -> _Made:
            return response_commands(asked, loaded), ResponseWriter(asked, loaded.model.name)

        return await self._answer(request, ResponseRequest, make, named=True)

    async def _below_responses(self, request: Request) -> Response:
        raise nothing_below_responses(request.path_params["below"])

    async def _embed(self, request: Request) -> Response:
        loaded = self._answers.loaded("")
        raise ApiError(
            400,
            f"{loaded.model.name} writes text; it cannot make embeddings.",
            "model_not_supported",
            "model",
        )

    async def _answer(
        self,
        request: Request,
        kind: type[_Asked],
        make: Callable[[_Asked, Loaded], _Made],
        *,
        named: bool = False,
    ) -> Response:
        """Answer, and tell of it: at once, or when the stream has ended."""
        entry = Entry(request.url.path)
        try:
            asked = read(kind, await request.body())
            await unless_gone(request, self._asking.wait_for_model())
            commands, writer = make(asked, self._answers.loaded(asked.model))
            if not asked.stream:
                response = await self._answers.answer(request, commands, writer, entry)
                self._told(entry.record())
                return response
            entry.is_streamed = True
            frames = await self._answers.stream(request, commands, writer, entry, named=named)
            return EventStream(
                told_at_end(frames, entry, self._told),
                media_type="text/event-stream",
                headers={"cache-control": "no-store"},
            )
        except ApiError as error:
            fault = error
        except ClientDisconnect:
            fault = client_gone()
        entry.status = fault.status
        self._told(entry.record())
        raise fault


def _model_json(loaded: Loaded) -> dict[str, Any]:
    return {
        "id": loaded.model.name,
        "object": "model",
        "created": 0,
        "owned_by": loaded.model.publisher or "local",
        "context_length": loaded.context,  # what several clients look for
        "max_model_len": loaded.context,
    }


async def _on_api_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, ApiError):
        raise error
    return JSONResponse(error.body(), error.status, error.headers())


async def _on_http_error(request: Request, error: Exception) -> Response:
    """No such address, or not with this method."""
    if not isinstance(error, HTTPException):
        raise error
    what = f"{request.method} {request.url.path}: {error.detail}."
    return JSONResponse(ApiError(error.status_code, what).body(), error.status_code, error.headers)


async def _on_bug(request: Request, error: Exception) -> Response:
    """Something of ours broke: said without details, which are in the program's own log."""
    return JSONResponse(ApiError(500, "Something broke inside the server.").body(), 500)
