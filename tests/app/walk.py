"""A walk through every page of the window, and the states that stay open while one looks."""

from __future__ import annotations

from collections.abc import Callable

from app.application import Application
from app.chat.comparing import AskPhase, Said
from app.chat.shrinking import ShrinkPhase
from tests.scenes_smaller import REPORT, alone, asked, at_work, open_page

PAGES = ("models", "add_model", "benchmark", "server", "monitor", "welcome", "settings", "chat")


def walk(running: Application, look: Callable[[str], None]) -> None:
    """Go through the window; ``look`` is told the name of each place."""
    window = running.window
    for page in PAGES:
        window.show_page(page)
        look(page)
    window.show_page("settings")
    for button in window.parts.settings.list.rows:
        button.click()
        look(f"settings {button.accessibleName()}")
    open_page(running)
    window.parts.smaller.options.choose("custom")
    look("smaller")
    at_work(running)
    look("smaller at work")
    at_work(running, phase=ShrinkPhase.DONE, report=REPORT)
    look("smaller report")
    asked(running, AskPhase.ASKING, ("source", Said("Ice holds on.")))
    look("smaller asking")
    window.parts.smaller.report.side.hide_names.click()
    answers = ("source", Said("Ice holds on.", 4.1, 256, "length")), ("copy", Said("", ended="x"))
    asked(running, AskPhase.DONE, *answers, first_difference=2)
    look("smaller compared")
    window.parts.smaller.report.side.hide_names.click()
    alone(running)
    look("smaller without its source")
    at_work(running, phase=ShrinkPhase.NONE)
    window.show_page("chat")
    window.parts.chat.box.beginning.say("A short answer:")
    look("beginning")
    window.parts.chat.box.beginning.say("")
    running.inspector_on_screen.toggle()
    look("inspector")
    running.inspector_on_screen.toggle()
