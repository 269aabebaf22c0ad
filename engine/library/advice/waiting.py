"""Why it is slow: what a reply waits for, and what it was measured to take."""

from __future__ import annotations

from engine.library.advice.choices import longer_context
from engine.library.advice.facts import Disk, Facts
from engine.library.advice.findings import Action, Finding, Level, Remedy, Symptom
from engine.library.advice.rule import Rule, found
from engine.library.advice.slow import (
    BusyProcessor,
    FewThreads,
    ManyThreads,
    MemoryShort,
    PowerSaving,
    SlowKernels,
    expected_token_s,
)


class BelowExpected:
    """A token takes more than twice what weights and cache take to be read, and nothing says why.

    On a quiet machine 0.67 to 0.87 of the memory's speed was measured (README.md); half leaves
    room for a short hiccup and for a window that draws.
    """

    name, symptom = "below-expected", Symptom.SLOW
    slower = 2.0
    _explained: tuple[Rule, ...] = (
        FewThreads(),
        ManyThreads(),
        BusyProcessor(),
        MemoryShort(),
        PowerSaving(),
        SlowKernels(),
    )

    def find(self, facts: Facts) -> Finding | None:
        """Compare the measured time of a token with the expected one."""
        running, answered, bandwidth = facts.running, facts.answered, facts.around.bandwidth
        if running is None or answered is None or not running.by_processor or not bandwidth:
            return None
        if not answered.speed or not running.model.support.runs_here:
            return None
        used = answered.prompt_tokens + answered.generated_tokens
        expected = expected_token_s(running, used, bandwidth)
        is_slow = 1 / answered.speed > self.slower * expected
        if not is_slow or any(rule.find(facts) for rule in self._explained):
            return None
        return found(
            self,
            Action(Remedy.BENCHMARK),
            Action(Remedy.LOOK_AGAIN),
            measured_speed=answered.speed,
            expected_speed=1 / expected,
            bandwidth_bytes=round(bandwidth),
        )


class Queued:
    """The reply waited for other requests: a second or more, most of the time to its first word.

    A title that is being made takes less; a second is felt.
    """

    name, symptom = "queued", Symptom.SLOW
    least_s = 1.0

    def find(self, facts: Facts) -> Finding | None:
        """Look at the time before the prompt was begun."""
        answered = facts.answered
        if answered is None or answered.queue_s < self.least_s:
            return None
        if 2 * answered.queue_s < answered.first_token_s:
            return None
        action, first = Action(Remedy.MONITOR), answered.first_token_s
        return found(self, action, queue_s=answered.queue_s, first_s=first)


class NotReused:
    """A chat that went on had to be read again: under a quarter of its prompt was still known.

    A turn that only adds to what was said finds all but the newest question. Prompts of less than
    256 tokens, or first words within two seconds, are not worth a word.
    """

    name, symptom = "not-reused", Symptom.SLOW
    least_tokens, least_s, most_share = 256, 2.0, 0.25

    def find(self, facts: Facts) -> Finding | None:
        """Look at how much of the prompt was found in the cache."""
        answered = facts.answered
        if answered is None or answered.is_first or answered.beside_server:
            return None
        if answered.prompt_tokens < self.least_tokens or answered.first_token_s < self.least_s:
            return None
        if answered.reused_tokens > self.most_share * answered.prompt_tokens:
            return None
        longer = longer_context(facts) if answered.left_out_turns else ()
        return found(
            self,
            *longer,
            Action(Remedy.NEW_CHAT),
            reused=answered.reused_tokens,
            prompt=answered.prompt_tokens,
            first_s=answered.first_token_s,
            why="cut" if answered.left_out_turns else "changed",
        )


class LongPrompt:
    """Reading what is new of the prompt took five seconds or more.

    Ten seconds is where attention goes elsewhere (Nielsen, 1993); half of it is when one asks why.
    """

    name, symptom = "long-prompt", Symptom.SLOW
    least_s = 5.0

    def find(self, facts: Facts) -> Finding | None:
        """Look at the time of prefill."""
        answered = facts.answered
        if answered is None or answered.prefill_s < self.least_s or NotReused().find(facts):
            return None
        return found(
            self,
            Action(Remedy.NEW_CHAT),
            tokens=answered.new_tokens,
            prefill_s=answered.prefill_s,
            prefill_speed=answered.new_tokens / answered.prefill_s,
        )


class LongThought:
    """Most of what was written were thoughts, and one waited five seconds or more for them."""

    name, symptom = "long-thought", Symptom.SLOW
    least_s = 5.0

    def find(self, facts: Facts) -> Finding | None:
        """Look at the tokens of the reasoning."""
        answered = facts.answered
        if answered is None or answered.reasoning_s < self.least_s:
            return None
        if 2 * answered.reasoning_tokens < answered.generated_tokens:
            return None
        return found(
            self,
            Action(Remedy.THINKING_OFF),
            thought_s=answered.reasoning_s,
            thoughts=answered.reasoning_tokens,
            tokens=answered.generated_tokens,
        )


class LongConversation:
    """Reading the conversation's cache takes half as long as the weights, or longer.

    Only where the speed is below 15 tokens a second: faster than one skims, nobody minds.
    """

    name, symptom = "long-conversation", Symptom.SLOW
    least_share, fast = 0.5, 15.0

    def find(self, facts: Facts) -> Finding | None:
        """Compare the bytes of cache that a token reads with those of the weights."""
        running, answered = facts.running, facts.answered
        if running is None or answered is None or running.model.server:
            return None
        if not answered.speed or answered.speed >= self.fast:
            return None
        used = answered.prompt_tokens + answered.generated_tokens
        bits = running.settings.cache_bits
        cache = used * running.model.cache_bytes_per_token * bits // 16
        if cache < self.least_share * running.memory.weights:
            return None
        fewer = (Action(Remedy.CACHE_BITS, 8),) if bits == 16 else ()
        actions = (*fewer, Action(Remedy.NEW_CHAT))
        return found(
            self,
            *actions,
            tokens=used,
            cache_bytes=cache,
            weights_bytes=running.memory.weights,
        )


class SlowDisk:
    """The model lies on a hard disk or a network, and its load took 20 s at under 150 MB a second.

    A hard disk reads 100 to 200 MB a second, any SSD 400 and more. What the disk is, is asked of
    the system: a load is also slow where kernels are compiled or the processor is busy.
    """

    name, symptom = "slow-disk", Symptom.SLOW
    least_s, slow = 20.0, 150e6

    def find(self, facts: Facts) -> Finding | None:
        """Divide the file by the time of its load."""
        running, disk = facts.running, facts.around.disk
        if running is None or disk is Disk.FAST or running.load_s < self.least_s:
            return None
        size = running.model.size_bytes
        pace = size / running.load_s
        if running.model.server or pace >= self.slow:
            return None
        kept = (Action(Remedy.KEEP_LOADED),) if running.keep_minutes else ()
        return found(
            self,
            *kept,
            Action(Remedy.SHOW_FILE),
            disk=disk.value,
            load_s=running.load_s,
            size_bytes=size,
            pace_bytes=round(pace),
        )


class OtherServer:
    """Another program writes: its speed and the network between are nothing to be set here."""

    name, symptom = "other-server", Symptom.SLOW

    def find(self, facts: Facts) -> Finding | None:
        """Look at where the model is."""
        running = facts.running
        if running is None or not running.model.server:
            return None
        first = facts.answered.first_token_s if facts.answered is not None else 0.0
        server = running.model.server
        action = Action(Remedy.MODELS)
        return found(self, action, level=Level.NATURE, server=server, first_s=first)
