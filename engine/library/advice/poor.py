"""Why the answers are poor: how words are drawn, what the model reads, what it can."""

from __future__ import annotations

from engine.contract import NoticeKind, Sampling, Thinking
from engine.library.advice.choices import better_here, longer_context
from engine.library.advice.facts import Facts
from engine.library.advice.findings import Action, Finding, Level, Remedy, Symptom
from engine.library.advice.rule import found

_USUAL = Action(Remedy.USUAL_SAMPLING)


class Hot:
    """The temperature is above 1.3, and more than 0.3 above what the model wants.

    The boldest of the presets has 1.2. A min-p of 0.05 or a top-n-sigma cuts before temperature
    and is made for more: up to 3 there.
    """

    name, symptom = "hot", Symptom.POOR
    most, most_cut, above = 1.3, 3.0, 0.3

    def find(self, facts: Facts) -> Finding | None:
        """Compare the chat's temperature with the model's."""
        sampling, running = facts.sampling, facts.running
        if sampling is None or sampling.mirostat_tau > 0:
            return None
        usual = running.usual.temperature if running is not None else Sampling().temperature
        is_cut = sampling.min_p >= 0.05 or sampling.top_n_sigma > 0
        most = max(self.most_cut if is_cut else self.most, usual + self.above)
        if sampling.temperature <= most:
            return None
        return found(self, _USUAL, temperature=sampling.temperature, usual=usual)


class StrongPenalty:
    """A repeat penalty from 1.3, a frequency or presence penalty above 1, or any that rewards.

    1.05 to 1.2 is what models bear; from 1.3 on a sentence avoids its own articles and commas.
    Below 0.97, or under −0.5, what was said becomes likelier, and replies run in circles.
    """

    name, symptom = "strong-penalty", Symptom.POOR
    most, least, most_added, least_added = 1.3, 0.97, 1.0, -0.5

    def find(self, facts: Facts) -> Finding | None:
        """Look at the three penalties."""
        sampling = facts.sampling
        if sampling is None:
            return None
        repeat = sampling.repetition_penalty
        added = (sampling.frequency_penalty, sampling.presence_penalty)
        is_wrong = not self.least <= repeat < self.most or any(
            not self.least_added <= each <= self.most_added for each in added
        )
        if not is_wrong:
            return None
        return found(self, _USUAL, repeat=repeat, frequency=added[0], presence=added[1])


class OpenTail:
    """Nothing cuts the unlikely words off, at a temperature of 0.9 or more.

    A vocabulary has 50,000 to 260,000 tokens; in the tail of each draw some percent of the whole
    lie together, so that every few dozen words one comes from there.
    """

    name, symptom = "open-tail", Symptom.POOR
    least = 0.9

    def find(self, facts: Facts) -> Finding | None:
        """Look for any step that cuts."""
        sampling = facts.sampling
        if sampling is None or sampling.temperature < self.least or sampling.mirostat_tau > 0:
            return None
        is_cut = (
            0 < sampling.top_k <= 1000
            or sampling.top_p < 1
            or sampling.min_p > 0
            or sampling.typical_p < 1
            or sampling.top_n_sigma > 0
        )
        return None if is_cut else found(self, _USUAL, temperature=sampling.temperature)


class Circles:
    """The reply says the same again and again: it packs to under 15 % of its length.

    Prose packs to 40 to 60 %, code and tables to 20 to 35 %; under 400 characters the measure says
    nothing.
    """

    name, symptom = "circles", Symptom.POOR
    least_characters, most = 400, 0.15

    def find(self, facts: Facts) -> Finding | None:
        """Look at how small the reply packs."""
        answered = facts.answered
        if answered is None or answered.characters < self.least_characters:
            return None
        if answered.packed >= self.most:
            return None
        actions = (Action(Remedy.PENALISE), Action(Remedy.NEW_CHAT))
        return found(self, *actions, packed_share=answered.packed, characters=answered.characters)


class NoTemplate:
    """The model has no chat template: most likely a base model, that goes on with texts."""

    name, symptom = "no-template", Symptom.POOR

    def find(self, facts: Facts) -> Finding | None:
        """Look at the engine's notice."""
        running = facts.running
        if running is None or NoticeKind.TEMPLATE_MISSING not in running.notices:
            return None
        actions = (*better_here(facts, running.model, same=True), Action(Remedy.MODELS))
        choose = () if facts.wishes.has_template else (Action(Remedy.TEMPLATE),)
        return found(self, *actions, *choose, name=running.model.name)


class ForeignTemplate:
    """The chat is written for the model in another form than it was taught."""

    name, symptom = "foreign-template", Symptom.POOR

    def find(self, facts: Facts) -> Finding | None:
        """Look at the chat's wishes; a model without a template has nothing to go back to."""
        running = facts.running
        if running is None or not facts.wishes.has_template or running.model.server:
            return None
        if NoticeKind.TEMPLATE_MISSING in running.notices:
            return None
        return found(self, Action(Remedy.OWN_TEMPLATE), name=running.model.name)


class TurnsLeftOut:
    """The beginning of the chat does not fit the context, so the model does not know it."""

    name, symptom = "turns-left-out", Symptom.POOR

    def find(self, facts: Facts) -> Finding | None:
        """Look at what the last prompt left out."""
        running, answered = facts.running, facts.answered
        if running is None or answered is None or not answered.left_out_turns:
            return None
        actions = (*longer_context(facts), Action(Remedy.NEW_CHAT))
        return found(self, *actions, turns=answered.left_out_turns, context=running.context)


class CutShort:
    """The reply ended at a limit instead of its own end."""

    name, symptom = "cut-short", Symptom.POOR

    def find(self, facts: Facts) -> Finding | None:
        """Tell the chat's own limit from a full context."""
        running, answered, most = facts.running, facts.answered, facts.wishes.max_tokens
        if answered is None or running is None or not answered.is_cut:
            return None
        if most is not None and answered.generated_tokens >= most:
            return found(self, Action(Remedy.NO_LIMIT), kind="limit", tokens=most)
        actions = (*longer_context(facts), Action(Remedy.NEW_CHAT))
        return found(self, *actions, kind="context", tokens=running.context)


class FewBits:
    """Under 3.5 bits a weight, or a copy measured to differ in more than 30 of 100 next words.

    Published perplexities bend upwards below 3.5 bits (Q3 and fewer of llama.cpp's formats). The
    smallest models' 4-bit copies agree with their sources in 72 and 76 of 100 (engine/README.md);
    larger ones agree in more.
    """

    name, symptom = "few-bits", Symptom.POOR
    least_bits, least_same = 3.5, 0.7

    def find(self, facts: Facts) -> Finding | None:
        """Look at the measured likeness; where there is none, at the bits."""
        running = facts.running
        if running is None or running.model.server or not running.model.bits_per_weight:
            return None
        same, bits = running.same_top, running.model.bits_per_weight
        is_poor = same < self.least_same if same is not None else bits < self.least_bits
        if not is_poor:
            return None
        actions = (*better_here(facts, running.model, same=True), Action(Remedy.MODELS))
        kind = "measured" if same is not None else "bits"
        return found(self, *actions, kind=kind, bits=bits, same_share=same or 0.0)


class SmallModel:
    """Under a billion weights: whole sentences, few facts. Nothing is wrong: it is small."""

    name, symptom = "small-model", Symptom.POOR
    least = 1_000_000_000

    def find(self, facts: Facts) -> Finding | None:
        """Look at its size."""
        running = facts.running
        if running is None or not 0 < running.model.parameters < self.least:
            return None
        actions = (*better_here(facts, running.model, same=False), Action(Remedy.MODELS))
        millions = round(running.model.parameters / 1e6)
        return found(self, *actions, level=Level.NATURE, millions=millions)


class InexactCache:
    """The model does not bear a cache of 8 bits: the engine measured it at the load."""

    name, symptom = "inexact-cache", Symptom.POOR

    def find(self, facts: Facts) -> Finding | None:
        """Look at the engine's notice."""
        running = facts.running
        said = running.notices.get(NoticeKind.CACHE_INEXACT) if running is not None else None
        if said is None:
            return None
        divergence = float(said.get("divergence", 0.0))
        return found(self, Action(Remedy.CACHE_BITS, 16), divergence=divergence)


class BoundBySchema:
    """Every answer of the chat has to match a JSON schema."""

    name, symptom = "bound-by-schema", Symptom.POOR

    def find(self, facts: Facts) -> Finding | None:
        """Look at the chat's wishes."""
        if not facts.wishes.has_schema:
            return None
        return found(self, Action(Remedy.NO_SCHEMA), level=Level.NATURE)


class StopWords:
    """The chat has stop words, and the last reply ended within 20 tokens."""

    name, symptom = "stop-words", Symptom.POOR
    most = 20

    def find(self, facts: Facts) -> Finding | None:
        """Look at how short the reply is."""
        answered, stop = facts.answered, facts.wishes.stop
        if not stop or answered is None or answered.generated_tokens >= self.most:
            return None
        tokens, words = answered.generated_tokens, ", ".join(map(repr, stop[:3]))
        action = Action(Remedy.NO_STOPS)
        return found(self, action, level=Level.NATURE, tokens=tokens, words=words)


class NoThought:
    """A model that can think before it answers was told not to."""

    name, symptom = "no-thought", Symptom.POOR

    def find(self, facts: Facts) -> Finding | None:
        """Look at the chat's wishes."""
        running = facts.running
        is_off = facts.wishes.thinking is Thinking.OFF
        if running is None or not running.can_think or not is_off:
            return None
        return found(self, Action(Remedy.THINKING_AUTO), level=Level.NATURE)
