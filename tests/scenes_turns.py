"""Pictures of every state of a turn and of the message box, in both languages and both themes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.ui.transcript.thought import Thought
from engine.contract import (
    Channel,
    Command,
    Event,
    Fault,
    FaultKind,
    FinishReason,
    Progress,
    Role,
    Stage,
)
from tests import screenshot_texts as texts
from tests.documents import files
from tests.doubles.engines import Reply
from tests.studio import Scene, Studio

if TYPE_CHECKING:
    from app.application import Application

LOOKS = tuple((code, theme) for code in ("en", "zh_CN") for theme in ("light", "dark"))
_ASKED = {
    "en": "Can I plant tomatoes on a balcony that faces east?",
    "zh_CN": "朝东的阳台能种番茄吗？",
}
_THOUGHT = {
    "en": "East means morning sun, about 4 to 6 hours. Tomatoes want 6 or more. So: possible with "
    "small-fruited kinds, large pots, and a light wall behind.",
    "zh_CN": "朝东只有上午有太阳，大约 4 到 6 小时。番茄最好 6 小时以上。结论：可以种，选小果品种、"
    "大盆，背后最好是浅色墙。",
}
_SAID = {
    "en": "Yes, with **cherry tomatoes**. Keep the `receipt-2026.pdf`.\n\n> The deposit of $800 is "
    "due with the first rent of $1,150.\n\nSo you pay $1,950. Ask for a receipt that names the "
    "deposit.",
    "zh_CN": "可以，选**樱桃番茄。**把文件存成 `收据-2026.pdf`。\n\n> 押金 **800 元**，与首月房租 "
    "1,150 元一并支付。\n\n一共 1,950 元，收据上要写明押金。",
}
_WIDE = {
    "en": "| Kind | Pot | Height | First fruit | Sun | Support | Water | Feed | Neighbours | Notes "
    "|\n|---|---:|---:|---:|---|---|---|---|---|---|\n| Cherry | 15 l | 1.5 m | 60 days | 4–6 h | "
    "String | daily | weekly | basil | turn it every week |\n| Plum | 20 l | 1.2 m | 75 days | 6 h "
    "| Cane | daily | weekly | onion | pinch the side shoots |",
    "zh_CN": "| 品种 | 盆 | 高度 | 第一批果 | 日照 | 支撑 | 浇水 | 施肥 | 旁边可种 | 备注 |\n"
    "|---|---:|---:|---:|---|---|---|---|---|---|\n| 樱桃番茄 | 15 升 | 1.5 米 | 60 天 | "
    "4–6 小时 | 吊绳 | 每天 | 每周 | 罗勒 | 每周转一次盆 |\n| 李子番茄 | 20 升 | 1.2 米 | 75 天 "
    "| 6 小时 | 竹竿 | 每天 | 每周 | 洋葱 | 及时打侧枝 |",
}
_SOUGHT = {"en": "deposit", "zh_CN": "押金"}
_MEMORY = Fault(FaultKind.OUT_OF_MEMORY, {"needed": 600_000_000, "free": 0, "device": "cpu"})


class Reading(Studio):
    """Stands still in the middle of reading the prompt, until it is told to go on."""

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        for event in super().run(command, cancelled):
            yield event
            is_half = isinstance(event, Progress) and event.stage is Stage.PREFILL
            if is_half and 0.5 < event.done / event.total < 0.6:  # type: ignore[union-attr]
                while not self.go_on and not cancelled():
                    time.sleep(0.01)
                    yield None

    go_on = False


def turns(scene: Scene) -> None:
    """Each state by itself: edited, thought, stopped, cut, broken, found, wide, added, versions."""
    for code, theme in LOOKS:
        thought = ((Channel.REASONING, _THOUGHT[code]),)
        replies = [
            Reply(_SAID[code], pieces=thought),
            Reply(_WIDE[code]),
            Reply(_SAID[code][:40], reason=FinishReason.LENGTH),
            Reply(_SAID[code][:30], fault=_MEMORY),
            Reply(_SAID[code][:30], lingers=True),
        ]
        chats = texts.CHATS if code == "en" else texts.CHATS_ZH
        with scene.window(Studio(replies), chats, theme=theme, language=code) as program:
            scene.load(program, "Qwen3 4B")
            _walk(scene, program, code, f"{code}-{theme}")


def _walk(scene: Scene, program: Application, code: str, ending: str) -> None:
    page, box = program.window.parts.chat, program.window.parts.chat.box
    _ask(scene, program, code)
    page.transcript.findChildren(Thought)[0].open()
    scene.shoot(program, f"turn-thought-{ending}")
    page.transcript.open_find()
    focused = QApplication.focusWidget()
    assert isinstance(focused, QLineEdit)
    focused.setText(_SOUGHT[code])
    scene.shoot(program, f"turn-found-{ending}")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    page.verbs.edit_last()
    scene.shoot(program, f"turn-edited-{ending}")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    page.answer_again()
    scene.settle(program)
    scene.shoot(program, f"turn-wide-version-{ending}")
    for name in ("cut", "broken"):
        _ask(scene, program, code)
        scene.shoot(program, f"turn-{name}-{ending}")
    scene.ask(program, _ASKED[code])
    session = page.session
    assert session is not None
    scene.wait(lambda: len(session.path()[-1].content) > 10)
    page.stop()
    scene.settle(program)
    box.field.setPlainText(_SAID[code][:24])
    box.otherwise.add_wanted.emit(Role.ASSISTANT)
    scene.shoot(program, f"turn-stopped-written-{ending}")
    box.field.setPlainText(_ASKED[code])
    box.beginning.say(_SAID[code][:4])
    box.otherwise.click()
    scene.shoot(program, f"box-otherwise-{ending}", screen=True)
    QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
    box.beginning.say("")
    QTest.keyPress(program.window.windowHandle(), Qt.Key.Key_Alt)
    scene.wait(program.window.letters.isVisible)
    scene.shoot(program, f"letters-{ending}")
    QTest.keyRelease(program.window.windowHandle(), Qt.Key.Key_Alt)


def _ask(scene: Scene, program: Application, code: str) -> None:
    scene.ask(program, _ASKED[code])
    scene.settle(program)


def reading(scene: Scene) -> None:
    """A file being read before the first word; a queue; new text while one reads further up."""
    for code, theme in LOOKS:
        ending = f"{code}-{theme}"
        long = "\n\n".join([_SAID[code]] * 8)
        runner = Reading(
            [Reply(long, prefill=2708, reused=1204), Reply(long, endless=True)],
            tokens_per_second=40,
        )
        chats = texts.CHATS if code == "en" else texts.CHATS_ZH
        with scene.window(runner, chats, theme=theme, language=code) as program:
            scene.load(program, "Qwen3 4B")
            path = Path(program.shelf.folders[0]).parent / "租房合同 lease.pdf"
            program.files_on_screen.add([files.pdf(path, ["1150", "800"])])
            box, page = program.window.parts.chat.box, program.window.parts.chat
            scene.wait(lambda box=box: not box._is_waiting and box.files.isVisible())  # type: ignore[misc]
            scene.ask(program, _ASKED[code])
            QTest.qWait(400)
            scene.ask(program, _ASKED[code])
            scene.shoot(program, f"turn-reading-queued-{ending}")
            runner.go_on = True
            bar = page.transcript.verticalScrollBar()
            scene.wait(lambda bar=bar: bar.maximum() > 300)  # type: ignore[misc]
            bar.setValue(40)
            QTest.qWait(600)
            scene.shoot(program, f"turn-new-text-{ending}")
            page.stop()
