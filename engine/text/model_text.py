"""Everything that turns strings into a model's ids and back: what the engine sees of this package.

``open_text`` gathers a model's tokenizer, template, end ids and sampling defaults from where its
files keep them; ``ModelText`` is the result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.contract import (
    Channel,
    EngineError,
    FaultKind,
    Message,
    Notice,
    NoticeKind,
    Role,
    Sampling,
    Thinking,
)
from engine.contract.templates import PLAIN
from engine.text.channels import ReplyForm
from engine.text.chat_template import ChatTemplate
from engine.text.conversation import Adaptation
from engine.text.ends import PROBE, known_ends, template_end
from engine.text.hub_folder import folder_sources
from engine.text.marks import REASONING_TAGS, Tags
from engine.text.prompt import Renderer, Request, tool_names
from engine.text.prompt_builder import PromptBuilder
from engine.text.reply_stream import ReplyStream, split_text
from engine.text.sources import Templates, TextSources, gguf_sources
from engine.text.tokenizer import Tokenizer
from engine.text.told_tools import tell_tools
from engine.text.tool_calls import TOOL_FORMS

_MOST_VARIANTS = 4  # other templates that are kept ready
_MARK = re.compile(r"\s*(<[^<>\s]{1,40}>|\[[^\[\]\s]{1,20}\])")
PLAIN_STOPS = ("\nUser:", "\nSystem:")
"""Where a model that has no template begins to write the other side's turns itself."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation as ids.

    Attributes:
        ids: what the model reads, BOS included.
        notices: what the user must be told.
        opens: the reasoning tags that the prompt's end has opened.
        continues: whether the reply goes on from text that is already there.
        tools: names of the tools that were offered.
    """

    ids: list[int]
    notices: tuple[Notice, ...] = ()
    opens: Tags | None = None
    continues: bool = False
    tools: tuple[str, ...] = ()

    @property
    def opens_reasoning(self) -> bool:
        """Whether the reply begins inside reasoning."""
        return self.opens is not None


class ModelText:
    """A model's text side.

    Attributes:
        tokenizer: its vocabulary.
        end_ids: the ids that end a reply.
        default_sampling: how the model's files say it is sampled.
        notices: what the user must be told about the model itself.
        can_think: whether the template has a reasoning switch or reasoning tags.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        builder: PromptBuilder,
        form: ReplyForm,
        end_ids: frozenset[int],
        default_sampling: Sampling,
        *,
        can_think: bool,
        has_template: bool,
        stops: tuple[str, ...] = (),
        sources: TextSources | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.end_ids = end_ids
        self.default_sampling = default_sampling
        self.notices = () if has_template else (Notice(NoticeKind.TEMPLATE_MISSING),)
        self.can_think = can_think
        self._builder = builder
        self._form = form
        self._has_template = has_template
        self._stops = stops
        self._sources = sources
        self._variants: dict[str, ModelText] = {}

    def with_template(self, source: str) -> ModelText:
        """The same text side with another chat template.

        Raises:
            EngineError: TEMPLATE_INVALID, with the line in its detail where it is no Jinja.
        """
        if not source or self._sources is None:
            return self
        if source not in self._variants:
            if len(self._variants) >= _MOST_VARIANTS:
                del self._variants[next(iter(self._variants))]
            other = replace(self._sources, templates=Templates(source))
            self._variants[source] = assemble(other, stops_at_marks=True)
        return self._variants[source]

    @property
    def reasoning_openers(self) -> frozenset[int]:
        """Tokens by which the model may open its reasoning itself."""
        ids = (self.tokenizer.id(tags.open) for tags in self._form.own_tags)
        return frozenset(id for id in ids if id is not None)

    def prompt(
        self,
        messages: Sequence[Message],
        *,
        thinking: Thinking = Thinking.AUTO,
        tools: Sequence[str] = (),
        continue_reply: bool = False,
    ) -> Prompt:
        """The ids after which the model answers, or goes on with the last message.

        Raises:
            EngineError: PROMPT_EMPTY without messages; SETTING_INVALID for a tool that is no JSON
                object; TEMPLATE_REFUSED where the template does not take the messages in any form;
                TEMPLATE_INVALID where it fails.
        """
        if not messages:
            raise EngineError(FaultKind.PROMPT_EMPTY)
        names = tool_names(tools)
        is_told = bool(tools) and not self._builder.takes_tools
        if is_told:
            messages = tell_tools(messages, tools)
        request = Request(thinking, () if is_told else tuple(tools))
        continues = continue_reply and messages[-1].role == Role.ASSISTANT
        if continues:
            built = self._builder.build_continued(messages, request)
        else:
            built = self._builder.build(messages, request)
        has_system = any(message.role == Role.SYSTEM for message in messages)
        folded = built.adaptation.folds_system and has_system
        notices = (Notice(NoticeKind.SYSTEM_FOLDED),) if folded else ()
        ids = self._framed(built.ids)
        return Prompt(ids, notices, built.opens, continues, names)

    def raw(self, text: str, *, control: bool = True) -> list[int]:
        """Ids of raw text with BOS exactly once, if the model wants one, and its suffix.

        Args:
            text: any text.
            control: recognise control tokens: raw text means what it spells.
        """
        ids = self._framed(self.tokenizer.encode(text, control=control))
        return ids + list(self.tokenizer.frame.suffix)

    def reply_stream(
        self,
        *,
        stop: Sequence[str] = (),
        opens_reasoning: bool = False,
        prompt: Prompt | None = None,
    ) -> ReplyStream:
        """What turns the sampled ids into text by channel.

        Args:
            stop: stop strings.
            opens_reasoning: whether the prompt has opened the model's reasoning tags.
            prompt: the prompt that is answered; says which tags it opened, and whether the reply
                goes on from text that was there.
        """
        opens = prompt.opens if prompt is not None else None
        if opens is None and opens_reasoning:
            opens = self._form.reasoning
        if prompt is None:
            return ReplyStream(self.tokenizer, self._form, stop=stop, opens=opens)
        return ReplyStream(
            self.tokenizer,
            self._form,
            stop=(*stop, *self._stops),
            opens=opens,
            continues=prompt.continues,
            trims=PLAIN_STOPS[0] in self._stops and not prompt.continues,
            tools=prompt.tools,
        )

    def split(self, text: str) -> dict[Channel, str]:
        """The channels of a reply that is only known as text."""
        return split_text(text, self._form)

    def _framed(self, ids: Sequence[int]) -> list[int]:
        """``ids`` with BOS exactly once, where the tokenizer or the template put one."""
        bos = self.tokenizer.frame.bos
        start = 0
        while bos is not None and start < len(ids) and ids[start] == bos:
            start += 1
        wanted = bos is not None and (start > 0 or self.tokenizer.frame.adds_bos)
        return [bos, *ids[start:]] if wanted and bos is not None else list(ids[start:])


def open_text(path: Path, metadata: Mapping[str, Any]) -> ModelText:
    """Open the text side of the model at ``path``.

    Args:
        path: a GGUF file, a folder, or a safetensors file in one.
        metadata: a GGUF file's key/values, or the content of ``config.json``.

    Raises:
        EngineError: TOKENIZER_MISSING, TOKENIZER_INVALID, TEMPLATE_INVALID.
    """
    is_gguf = "general.architecture" in metadata or path.suffix == ".gguf"
    sources = gguf_sources if is_gguf else folder_sources
    return assemble(sources(path, metadata))


def assemble(sources: TextSources, *, stops_at_marks: bool = False) -> ModelText:
    """Put together what the files say.

    Args:
        sources: what they say.
        stops_at_marks: whether a reply ends at the template's end of turn even where that is no
            token of the model, which then spells it.

    Raises:
        EngineError: TEMPLATE_INVALID.
    """
    tokenizer = sources.tokenizer
    template = ChatTemplate(sources.templates.default or PLAIN)
    tools = sources.templates.tools
    tool_template = template if tools is None else ChatTemplate(tools)
    form = reply_form(template.source + tool_template.source, tokenizer)
    form = replace(form, is_told=not tool_template.takes_tools)
    renderer = Renderer(template, tool_template, tokenizer.control, sources.names)
    written, stops = _written_end(renderer, tokenizer)
    ends = sources.ends | known_ends(tokenizer.control) | written
    if form.harmony:  # there it ends a channel of a reply, not the reply
        ends -= {tokenizer.control.id("<|end|>")}
    source = template.source + tool_template.source
    return ModelText(
        tokenizer,
        PromptBuilder(renderer, tokenizer, form, ends),
        form,
        ends,
        sources.sampling,
        can_think=template.has_thinking_switch or any(t.close in source for t in form.own_tags),
        has_template=bool(sources.templates.default),
        stops=PLAIN_STOPS if template.source == PLAIN else stops if stops_at_marks else (),
        sources=sources,
    )


def reply_form(template: str, tokenizer: Tokenizer) -> ReplyForm:
    """The marks that a model uses, as its template and vocabulary show."""

    def has(mark: str) -> bool:
        in_vocabulary = tokenizer.control.id(mark) is not None and "unused" not in mark
        return in_vocabulary or mark in template

    return ReplyForm(
        tuple(tags for tags in REASONING_TAGS if has(tags.close)),
        tuple(form for form in TOOL_FORMS if has(form.open)),
        "<|channel|>" in template,
    )


def _written_end(
    renderer: Renderer, tokenizer: Tokenizer
) -> tuple[frozenset[int], tuple[str, ...]]:
    """The end that the template writes after a reply: a token, or a mark that is none here."""
    marks = renderer.marks(PROBE, ())
    anchors = frozenset({1})
    try:
        text = renderer.render(PROBE, Request(), Adaptation(), marks, anchors, asks=False)
    except EngineError as error:
        if error.fault.kind not in {FaultKind.TEMPLATE_REFUSED, FaultKind.TEMPLATE_INVALID}:
            raise
        return frozenset(), ()  # what it does not take is found out with the first conversation
    after = text.rpartition(marks.word(1))[2]
    end = template_end(tokenizer.control.split(after))
    if end is not None:
        return frozenset({end}), ()
    mark = _MARK.match(after)
    return frozenset(), (mark[1],) if mark is not None else ()
