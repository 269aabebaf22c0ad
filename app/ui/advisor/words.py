"""What was found, in the language of the user: a lead, what it means, and the words of buttons."""

from __future__ import annotations

from app.language import Language
from app.ui.faults import FaultText
from engine.contract import Figure
from engine.library.advice.facts import Facts
from engine.library.advice.findings import Action, Finding, Symptom
from engine.library.advice.slow import expected_token_s


def finding_text(finding: Finding, language: Language) -> FaultText:
    """Return a finding in words."""
    said = {name: _said(name, value, language) for name, value in finding.figures.items()}
    said |= language.sizes(finding.sizes)
    if said.get("programs") == "":
        said["programs"] = "none"
    key = f"advice-{finding.rule}"
    return FaultText(language.text(key, **said), language.text(f"{key}.more", **said))


def action_text(action: Action, language: Language) -> str:
    """Return what a button says."""
    key = f"advice-do-{action.remedy.value.replace('_', '-')}"
    return language.text(key, value=action.value, name=action.name)


def fine_text(symptom: Symptom, facts: Facts, language: Language) -> FaultText:
    """Return what is said where nothing is wrong, with the figures that say so."""
    text, answered, around = language.text, facts.answered, facts.around
    if answered is None:
        return FaultText(text("advisor-fine-unmeasured"))
    if symptom is Symptom.SLOW:
        figures = text(
            "advisor-fine-slow-figures",
            speed=language.speed(answered.speed or 0.0),
            first=language.seconds(answered.first_token_s),
            free=language.bytes_text(around.free),
            others=_percent(around.others),
        )
        return FaultText(text("advisor-fine-slow"), figures)
    sampling = facts.wishes.sampling or (facts.running.usual if facts.running else None)
    bits = facts.running.model.bits_per_weight if facts.running is not None else 0.0
    figures = text(
        "advisor-fine-poor-figures",
        temperature=f"{sampling.temperature:g}" if sampling else "–",
        repeat=f"{sampling.repetition_penalty:g}" if sampling else "–",
        bits=f"{bits:.1f}" if bits else "none",  # a server does not say
    )
    return FaultText(text("advisor-fine-poor"), figures)


def figure_rows(facts: Facts, language: Language) -> list[tuple[str, str]]:
    """Return everything that was looked at: an id of what it is, and its value."""
    text, around = language.text, facts.around
    share = text("advisor-value-of", some=language.bytes_text(around.free, around.memory),
                 all=language.bytes_text(around.memory))  # fmt: skip
    pace = language.bytes_text(round(around.bandwidth))
    rows = [
        *_of_answer(facts, language),
        *_of_model(facts, language),
        ("others", _percent(around.others)),
        ("memory", share),
        ("moved", text("advisor-value-pace", pace=language.bytes_text(round(around.swapped)))),
        ("stalled", _percent(around.stalled)),
        (
            "bandwidth",
            text("advisor-value-pace", pace=pace) if around.bandwidth else text("advisor-unknown"),
        ),
    ]
    return [(f"advisor-figure-{name}", value) for name, value in rows]


def _of_answer(facts: Facts, language: Language) -> list[tuple[str, str]]:
    text, answered = language.text, facts.answered
    if answered is None:
        return []
    prompt = text(
        "advisor-value-prompt", tokens=answered.prompt_tokens, reused=answered.reused_tokens
    )
    rows = [("first", language.seconds(answered.first_token_s)), ("prompt", prompt)]
    if answered.speed:
        speed = text("advisor-value-speed", speed=language.speed(answered.speed))
        rows.insert(0, ("speed", speed))
    return rows


def _of_model(facts: Facts, language: Language) -> list[tuple[str, str]]:
    text, running, around = language.text, facts.running, facts.around
    answered = facts.answered
    if running is None:
        return []
    rows = [("context", text("advisor-value-context", context=running.context))]
    if running.by_processor and around.bandwidth:
        used = answered.prompt_tokens + answered.generated_tokens if answered is not None else 0
        expected = 1 / expected_token_s(running, used, around.bandwidth)
        rows.insert(0, ("expected", text("advisor-value-speed", speed=language.speed(expected))))
    if running.threads:
        threads = text("advisor-value-threads", threads=running.threads, cores=around.cores)
        rows.append(("threads", threads))
    if not running.model.server:
        rows.append(("bits", f"{running.model.bits_per_weight:.1f}"))
        rows.append(("cache", str(running.settings.cache_bits)))
    sampling = facts.wishes.sampling or running.usual
    rows.append(("sampling", f"{sampling.temperature:g} · {sampling.repetition_penalty:g}"))
    return rows


def _said(name: str, value: Figure, language: Language) -> Figure:
    """Return a figure as it is said: the end of its name is its unit."""
    if isinstance(value, str):
        return " ".join(value.split())[:300]
    if name.endswith("_bytes"):
        return language.bytes_text(round(value))
    if name.endswith("_share"):
        return _percent(value)
    if name.endswith("_s"):
        return language.seconds(value)
    if name.endswith("_speed"):
        return language.speed(value)
    return value if isinstance(value, int) else f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{share * 100:.0f}\u00a0%"
