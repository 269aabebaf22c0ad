"""Pictures of the dialog of a newer version; no network, the states are set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtTest import QTest

from app.application import Application
from app.ui.background import InlineBackground
from app.ui.update import rows
from app.ui.update.dialog import UpdateDialog
from app.ui.update.updating import Stage, UpdateState, Updating
from app.update.channel import Channel
from app.update.form import Form, Place
from app.update.record import Step
from app.update.release import Refusal, Release
from engine.contract import Fault, FaultKind
from engine.library.downloads.pace import RateLimit
from tests import screenshot_texts as texts
from tests.studio import Scene

NOTES = {
    "en": """## Faster and quieter

- **Long chats** open in half the time.
- A smaller copy can be made *while* a conversation goes on.
- The local server knows `response_format`.

## Repaired

- A picture pasted from a browser no longer loses its name.
- On Windows, folders with spaces at their end are found again.
""",
    "zh_CN": """## 更快、更安静

- **长对话**打开的时间减半。
- *对话进行时*也能制作更小的副本。
- 本地服务器支持 `response_format`。

## 修复

- 从浏览器粘贴的图片不再丢失名称。
- 在 Windows 上，末尾带空格的文件夹又能找到了。
""",
}
RELEASE = Release("1.3.0", "inkstone_1.3.0-1_amd64.deb", "", 404_000_000, "", NOTES)
PACKAGE = Path("/home/user/.local/share/Inkstone/updates/packages") / RELEASE.package
FETCHING = UpdateState(Stage.FETCHING, RELEASE, 151_000_000)
READY = UpdateState(Stage.READY, RELEASE, RELEASE.size, package=PACKAGE)
EVERY_STATE = (
    UpdateState(Stage.LOOKING),
    UpdateState(Stage.NEWEST),
    *(UpdateState(Stage.REFUSED, refusal=each) for each in Refusal),
    UpdateState(Stage.FOUND, RELEASE),
    UpdateState(Stage.FOUND, RELEASE, 40_000_000),
    FETCHING,
    UpdateState(Stage.PAUSED, RELEASE, 151_000_000),
    UpdateState(Stage.INSTALLING, RELEASE, RELEASE.size),
    READY,
    UpdateState(Stage.FAILED, RELEASE, fault=Fault(FaultKind.HASH_MISMATCH)),
    UpdateState(Stage.FAILED, fault=Fault(FaultKind.OFFLINE, {"host": "example.org"})),
)


@contextmanager
def update_dialog(
    program: Application, form: Form, state: UpdateState
) -> Iterator[tuple[UpdateDialog, Updating]]:
    """The dialog over the window, in a state."""
    channel = Channel("https://example.org/inkstone", b"")
    updating = Updating(
        channel,
        Place(form),
        "1.2.0",
        Path(),
        program.settings,
        InlineBackground(),
        RateLimit(),
        program,
    )
    updating.state = state
    dialog = UpdateDialog(program.look, updating, "1.2.0", program.window)
    dialog.open()
    try:
        yield dialog, updating
    finally:
        dialog.reject()
        updating.deleteLater()


def update(scene: Scene) -> None:
    from tests.screenshots import Studio

    looks = (
        ("", "light", "en", 1280),
        ("-dark-zh", "dark", "zh_CN", 1280),
        ("-narrow", "light", "en", 720),
    )
    place, step, channel = rows.this_place, rows.kept_before, rows.read_channel
    rows.this_place = lambda: Place(Form.DEB)
    rows.read_channel = lambda: Channel("https://example.org/inkstone", b"")
    rows.kept_before = lambda *_: Step("1.1.0", "1.2.0", 5)
    try:
        for name, theme, language, width in looks:
            with scene.window(Studio(), texts.CHATS, theme=theme, language=language) as program:
                program.window.resize(width, 832)
                program.window.show_page("settings")
                program.window.parts.settings.open_section("about")
                scene.shoot(program, f"update-rows{name}")
                for state, called in (
                    (EVERY_STATE[1], "newest"),
                    (UpdateState(Stage.FOUND, RELEASE), "found"),
                    (FETCHING, "fetching"),
                    (READY, "ready"),
                    (UpdateState(Stage.REFUSED, refusal=Refusal.UNTRUSTED), "refused"),
                ):
                    with update_dialog(program, Form.DEB, state) as (dialog, _):
                        QTest.qWait(120)
                        dialog.grab().save(str(scene._out / f"update-{called}{name}.png"))
    finally:
        rows.this_place, rows.kept_before, rows.read_channel = place, step, channel
