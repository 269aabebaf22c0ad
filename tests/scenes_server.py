"""Pictures of the local server's page: stopped, running, a taken port; light, dark, narrow."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.ui.settings.controls import LineControl
from engine.server import Obstacle, Phase, RequestRecord, ServerSettings, ServerState
from tests import screenshot_texts as texts
from tests.studio import Scene

if TYPE_CHECKING:
    from app.application import Application

_CHAT = "/v1/chat/completions"


def _show(program: Application, state: ServerState) -> None:
    serving = program.serving
    serving.key = "sk-ink-4tq0Yc1xwRmQ2bWn7uV8eJ5hKpLzAaDsFgHjKl3M9oE"
    serving.key_is_kept = True
    now = time.time()
    serving.records.clear()
    if state.phase is Phase.RUNNING:
        for age, status, tokens, speed in (
            (160, 200, 212, 13.1), (95, 499, 38, 12.4), (61, 400, 0, None), (4, 200, 96, 12.9)
        ):  # fmt: skip
            serving.records.appendleft(
                RequestRecord(
                    now - age, _CHAT, status, 7.0, True, False, 412, 380, tokens, 0.21, speed
                )
            )
    serving._become(state)


def server(scene: Scene) -> None:
    from tests.screenshots import Studio

    on = ServerState(Phase.RUNNING, "http://127.0.0.1:8420/v1")
    with scene.window(Studio(), texts.CHATS) as program:
        program.window.show_page("server")
        scene.shoot(program, "server-stopped")
        scene.load(program, "Qwen3 4B")
        program.window.show_page("server")
        _show(program, on)
        scene.shoot(program, "server")
        program.window.resize(1280, 1900)
        program.settings.change(server_reach="address", server_origins=("https://chat.example",))
        program.serving._listens_with = ServerSettings()
        program.serving.changed.emit()
        scene.shoot(program, "server-settings")
        program.window.resize(720, 2100)
        address = program.window.parts.server.settings.rows["server_address"].control
        assert isinstance(address, LineControl)
        address.field.setText("my computer")
        address.field.editingFinished.emit()
        scene.shoot(program, "server-settings-narrow")
        program.window.resize(720, 832)
        program.serving.key_is_kept = False
        program.serving.changed.emit()
        scene.shoot(program, "server-narrow")
        _show(program, ServerState(Phase.FAILED, obstacle=Obstacle.TAKEN, free_port=8421))
        scene.shoot(program, "server-failed")
        _show(program, ServerState())
    with scene.window(Studio(), texts.CHATS_ZH, theme="dark", language="zh_CN") as program:
        scene.load(program, "Qwen3 4B")
        program.window.show_page("server")
        _show(program, on)
        program.window.parts.server.language.show_value("python")
        _show(program, on)
        scene.shoot(program, "server-dark-zh")
        program.window.resize(720, 2100)
        program.settings.change(server_reach="network")
        scene.shoot(program, "server-settings-dark-zh")
        _show(program, ServerState())
