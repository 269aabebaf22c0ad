"""The template of a chat: chosen or written, checked by the engine, kept, carried, and used."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtTest import QTest

from app.application import Application
from app.chat.options import ChatOptions, options_of, options_text
from app.ui.chat_settings.dialog import ChatSettingsDialog
from engine.contract import Generate, RenderPrompt
from engine.contract.templates import TEMPLATES
from tests.app.conftest import Program
from tests.app.legible import troubles
from tests.app.test_application import ask, await_reply
from tests.app.test_names import controls, spoken_name

OWN = "{% for m in messages %}{{ m['content'] }}{% endfor %}"


def opened(running: Application) -> ChatSettingsDialog:
    running.window.show_page("chat")
    running.window.parts.chat.box.options.adjust_wanted.emit()
    return running.window.findChildren(ChatSettingsDialog)[-1]


def kept(running: Application) -> str:
    session = running.window.parts.chat.session
    assert session is not None
    return session.options.template


def test_a_known_template_is_kept_used_and_shown_as_a_prompt(program: Program) -> None:
    running = program.start_ready()
    section = opened(running).template
    program.qtbot.waitUntil(lambda: "Why does ice float?" in section.preview.toPlainText())
    assert section.choice.value == ""
    section.choice._choose("llama3")
    assert kept(running) == "llama3"
    assert not section.field.isVisible()
    running.window.findChildren(ChatSettingsDialog)[-1].accept()
    ask(running, "question")
    await_reply(program, running, 2)
    asked = [each for each in program.runner.commands if isinstance(each, Generate)]
    assert asked[0].template == TEMPLATES["llama3"]
    section = opened(running).template
    assert section.choice.value == "llama3"
    program.qtbot.waitUntil(lambda: "question" in section.preview.toPlainText())


def test_a_text_of_ones_own_is_kept_when_it_makes_a_prompt(program: Program) -> None:
    running = program.start_ready()
    section = opened(running).template
    section.choice._choose("own")
    assert section.field.isVisible()
    program.qtbot.waitUntil(lambda: kept(running) == TEMPLATES["chatml"])  # to begin with
    section.field.setPlainText(f"{{% bad\n{OWN}")
    program.qtbot.waitUntil(lambda: "line 2" in section.said.text())
    assert kept(running) == TEMPLATES["chatml"]
    assert section.preview.toPlainText() == ""
    section.field.setPlainText(OWN)
    program.qtbot.waitUntil(lambda: kept(running) == OWN)
    assert section.said.text() == ""
    section.choice._choose("")
    assert kept(running) == ""


def test_without_a_model_nothing_unchecked_is_kept(program: Program) -> None:
    program.shelves.add("one")
    program.shelves.add("two")
    running = program.start()
    section = opened(running).template
    section.choice._choose("own")
    assert "Load a model" in section.said.text()
    assert kept(running) == ""
    section.choice._choose("gemma")
    assert kept(running) == "gemma"


def test_it_stays_when_another_model_is_loaded_and_goes_with_the_rest(program: Program) -> None:
    running = program.start_ready()
    section = opened(running).template
    section.choice._choose("chatml")
    dialog = running.window.findChildren(ChatSettingsDialog)[-1]
    running.model.load(program.shelves.add("other"))
    ask(running, "question")
    await_reply(program, running, 2)
    asked = [each for each in program.runner.commands if isinstance(each, Generate)]
    assert asked[-1].template == TEMPLATES["chatml"]
    dialog.back.click()
    assert kept(running) == ""
    assert section.choice.value == ""


def test_it_is_exported_and_comes_back(program: Program, tmp_path: Path) -> None:
    running = program.start_ready()
    opened(running).template.choice._choose("own")
    program.qtbot.waitUntil(lambda: kept(running) == TEMPLATES["chatml"])
    running.window.findChildren(ChatSettingsDialog)[-1].accept()
    ask(running, "question")
    await_reply(program, running, 2)
    path, chat = tmp_path / "chat.json", running.deeds.open_chat
    assert chat is not None
    running.transfer_on_screen.write([chat], "json", path)
    program.qtbot.waitUntil(path.exists)
    running.chat_deeds.delete([chat])
    running.chats.purge()
    running.transfer_on_screen.import_from(path)
    program.qtbot.waitUntil(lambda: bool(running.chats.chats()))
    running.chats_on_screen.open(running.chats.chats()[0].id)
    assert kept(running) == TEMPLATES["chatml"]


def test_what_is_stored_is_read_again_and_nonsense_is_nothing() -> None:
    for template in ("", "chatml", OWN):
        options = ChatOptions(template=template)
        assert options_of(options_text(options)) == options
    assert options_of('{"template": 5}') == ChatOptions()


@pytest.mark.parametrize("scale", [0.8, 1.6])
@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_nothing_is_cut_off_or_nameless(program: Program, code: str, scale: float) -> None:
    running = program.start_ready()
    running.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        running.settings_on_screen._on_changed(name)
    dialog = opened(running)
    dialog.template.choice._choose("own")
    QTest.qWait(100)
    assert set(troubles(dialog)) == set()
    assert [w for w in controls(dialog) if w.isVisible() and not spoken_name(w)] == []
    assert any(isinstance(each, RenderPrompt) for each in program.runner.commands)
