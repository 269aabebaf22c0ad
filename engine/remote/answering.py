"""A remote model at work: the same commands as a local one, answered by a server."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import replace

from engine.contract import (
    Complete,
    CountTokens,
    EngineError,
    Event,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    Inspect,
    Load,
    Loaded,
    ModelFacts,
    Progress,
    ReadPrompt,
    RenderPrompt,
    Sampling,
    Stage,
    TokensCounted,
)
from engine.library.servers.access import Access
from engine.library.servers.asking import Server, ask_server
from engine.library.servers.card import RemoteCard, read_card
from engine.library.servers.known import ServerKind, dialect_of
from engine.remote.estimate import estimated_prompt, estimated_tokens, least_tokens
from engine.remote.line import Line
from engine.remote.remote_reply import NO_MEMORY, RemoteReply
from engine.remote.request import Question, chat_question, text_question
from engine.remote.stream import Patience, answers

_STEP_S = 0.02
_SHOW_S = 0.1
_NO_LIST = {FaultKind.SERVER_FOREIGN, FaultKind.MODEL_GONE, FaultKind.SERVER_REFUSED}


def connect(
    command: Load, facts: ModelFacts, patience: Patience | None = None
) -> Generator[Event, None, RemoteAnswering]:
    """Ask the server of a card what it is, and be ready to ask it more.

    Raises:
        EngineError: those of ``read_card`` and ``ask_server``; a server without a list of models
            is used as its card says.
    """
    card = read_card(facts.path)
    access = Access(card, command.key, command.is_offline, command.proxy_password)
    access.client_settings(None)  # what is wrong with these needs no thread to find out
    yield Progress(command.request, Stage.CONNECTING, 0, 0)
    pool = ThreadPoolExecutor(1, "inkstone-asking")
    asking = pool.submit(ask_server, access)
    pool.shutdown(wait=False)
    while not asking.done():
        try:
            asking.result(_SHOW_S)
        except NotYet:
            yield Progress(command.request, Stage.CONNECTING, 0, 0)
        except EngineError:
            break
    try:
        card = _known_now(access, asking.result())
    except EngineError as error:
        if error.fault.kind not in _NO_LIST:
            raise
        card = access.card
    facts = replace(facts, context_length=card.context)
    return RemoteAnswering(replace(access, card=card), facts, patience or Patience())


class RemoteAnswering:
    """Answers with one model of one server.

    Args:
        access: the server.
        facts: the card's.
        patience: how long it is waited for.
    """

    def __init__(self, access: Access, facts: ModelFacts, patience: Patience) -> None:
        self._access, self._facts, self._patience = access, facts, patience
        self._line = Line(access)

    def describe(self, request: int, load_s: float) -> Loaded:
        """The event that says what there is."""
        return Loaded(
            request=request,
            model=self._facts,
            context=self._access.card.context,
            device=self._access.host,
            threads=0,
            memory=NO_MEMORY,
            default_sampling=Sampling(),
            can_think=dialect_of(ServerKind(self._access.card.kind)).template,
            load_s=load_s,
        )

    def close(self) -> None:
        """Close the connections."""
        self._line.close()

    def count(self, command: CountTokens) -> Iterator[Event]:
        """Estimate a conversation's tokens: the server's tokenizer is not here."""
        tokens = estimated_prompt(command.messages)
        context = self._access.card.context
        yield TokensCounted(command.request, tokens, context, is_estimate=True)
        yield Finished(command.request, FinishReason.DONE)

    def inspect(self, command: Inspect, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        """Refuse: a server computes no reply once more.

        Raises:
            EngineError: ONLY_LOCALLY.
        """
        raise EngineError(FaultKind.ONLY_LOCALLY, host=self._access.host)

    def read_prompt(self, command: ReadPrompt) -> Iterator[Event]:
        """Refuse: the prompt is made by the server.

        Raises:
            EngineError: ONLY_LOCALLY.
        """
        raise EngineError(FaultKind.ONLY_LOCALLY, host=self._access.host)

    def render(self, command: RenderPrompt) -> Iterator[Event]:
        """Refuse: the prompt is made by the server.

        Raises:
            EngineError: ONLY_LOCALLY.
        """
        raise EngineError(FaultKind.ONLY_LOCALLY, host=self._access.host)

    def answer(
        self, command: Generate | Complete, cancelled: Callable[[], bool]
    ) -> Iterator[Event | None]:
        """Ask the server, and pass on what it says.

        Raises:
            EngineError: those of ``request`` and ``stream``; ``CONVERSATION_TOO_LONG`` before
                anything is sent where it cannot fit.
        """
        if isinstance(command, Generate):
            question = chat_question(self._access, command)
            least = least_tokens("".join(m.content for m in command.messages))
            about = estimated_prompt(command.messages)
        else:
            question = text_question(self._access, command)
            least = least_tokens(command.prompt)
            about = estimated_tokens(command.prompt)
        self._check_room(least)
        reply = RemoteReply(
            command.request,
            self._access,
            splits=isinstance(command, Generate),
            stop=command.settings.stop,
            least=least,
            about=about,
            most=command.settings.max_tokens,
            left_out=question.left_out,
        )
        yield Progress(command.request, Stage.CONNECTING, 0, 0)
        yield from self._talk(reply, question, cancelled)

    def _talk(
        self, reply: RemoteReply, question: Question, cancelled: Callable[[], bool]
    ) -> Iterator[Event | None]:
        access, patience = self._access, self._patience
        talk = self._line.ask(lambda client: answers(client, access, question, patience))
        try:
            while not talk.is_over:
                if cancelled():
                    yield from reply.finish()
                    yield reply.end(FinishReason.CANCELLED)
                    return
                content = talk.take(_STEP_S)
                if content is None:
                    yield None
                else:
                    yield from reply.take(content)
                if reply.overruns:
                    break
            yield from reply.finish()
            if not reply.overruns:
                talk.end()
        finally:
            talk.hang_up()
        if not reply.has_ended:
            raise EngineError(FaultKind.SERVER_BROKE_OFF, host=access.host)
        yield reply.end()

    def _check_room(self, least: int) -> None:
        context = self._access.card.context
        if context and least > context:
            raise EngineError(
                FaultKind.CONVERSATION_TOO_LONG,
                host=self._access.host,
                tokens=least,
                context=context,
            )


def _known_now(access: Access, server: Server) -> RemoteCard:
    """The card with what the server says of the model today."""
    told = {model.id: model.context for model in server.models}
    context = told.get(access.card.model, 0) or access.card.context
    kind = access.card.kind if server.kind is ServerKind.OTHER else server.kind.value
    return replace(access.card, kind=kind, context=context)
