"""What is wrong with a chat template, in words."""

from __future__ import annotations

from app.language import Language
from engine.contract import Fault, TemplateFlaw


def template_words(fault: Fault, language: Language) -> str:
    """Return why a template makes no prompt: in the window's language, Jinja's own words quoted."""
    figures = fault.figures
    if figures.get("flaw") not in set(TemplateFlaw):
        return str(figures.get("detail", ""))  # what a template itself says when it refuses
    words = " ".join(str(figures.get("words", "")).split())[:300]
    said = language.text(f"template-{figures['flaw']}", words=words)
    line = int(figures.get("line", 0))
    return language.text("template-at-line", line=line, said=said) if line else said
