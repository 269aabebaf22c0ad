"""Pictures of what a search finds: in an attached file, in a thought, and the way there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.chat.attachment import Attachment
from app.ui.attachments.preview import PreviewDialog
from app.ui.chat_rows import ChatRows
from engine.contract import Role
from tests import screenshot_texts as texts
from tests.studio import Scene, Studio

_WORDS = {
    "en": ("deposit", "The user asks about the deposit", "How much is it?", "It is 800 euros."),
    "zh_CN": ("押金", "用户在问押金，先看合同里怎么写", "要付多少？", "八百元。"),
}


def found(scene: Scene) -> None:
    """The list of hits, a thought that was opened, a file that was marked, and its preview."""
    for code, theme in (("en", "light"), ("zh_CN", "dark")):
        with scene.window(Studio(), texts.CHATS, theme=theme, language=code) as program:
            scene.load(program, "Qwen3 4B")
            fill(program, code)
            word = _WORDS[code][0]
            rows = program.window.parts.sidebar.rows
            program.window.parts.sidebar.search.setText(word)
            scene.wait(partial(has_hits, rows))
            scene.shoot(program, f"found-{code}")
            thought, file = rows._found.hits[:2]
            program.chats_on_screen.open_at(thought.chat, thought.turn)
            scene.shoot(program, f"found-thought-{code}")
            program.chats_on_screen.open_at(file.chat, file.turn)
            scene.wait(lambda: isinstance(QApplication.activeModalWidget(), PreviewDialog))
            QTest.qWait(100)
            dialog = QApplication.activeModalWidget()
            dialog.grab().save(str(scene._out / f"found-preview-{code}.png"))
            dialog.close()
            program.window.resize(720, 560)
            scene.shoot(program, f"found-file-{code}")


def has_hits(rows: ChatRows) -> bool:
    """Say whether the search has answered."""
    return len(rows._found.hits) > 1


def fill(program: Application, code: str) -> None:
    """Put a chat with a file and a thought into a window."""
    word, thought, question, answer = _WORDS[code]
    clauses = "\n".join(f"§ {k} {word if k in {80, 120} else ''}" for k in range(160))
    session = program.chats.new()
    file = Attachment("lease 租房合同.pdf", "pdf", clauses, tokens=1204)
    session.add_message(Role.USER, question, (file,))
    reply = session.add_message(Role.ASSISTANT, answer)
    store = program.saving.store
    store.database.flush()
    (row,) = store.turns([reply.id])
    steps = "\n\n".join([*(f"{k}. § {k} …" for k in range(1, 40)), f"{thought}.", "…"])
    store.add_turns(replace(row, reasoning=steps))
    store.database.flush()
    session.reload(session.row)
