"""Pictures of chats that are not simply on disk with the others, as long as it is so."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from app.store.copies import copy_before_migration
from app.store.folders import chats_path, copies_folder, data_folder, lock_path
from app.store.instance_lock import InstanceLock
from app.store.schema import MIGRATIONS
from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.studio import Scene, Studio

SAID = "Where is what I write now?"


def make_newer(folder: Path, *, with_copy: bool = True) -> None:
    """Let a newer program have written the chats of a folder."""
    if with_copy:
        copy_before_migration(chats_path(folder), copies_folder(folder), len(MIGRATIONS))
    with closing(sqlite3.connect(chats_path(folder))) as database:
        database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 3}")


def keeping(scene: Scene) -> None:
    """Newer chats, with and without a copy; another window; each with a chat in it."""
    _one(scene, "newer", make_newer)
    _one(scene, "newer-empty", lambda folder: make_newer(folder, with_copy=False), language="zh_CN")
    locks: list[InstanceLock] = []
    _one(scene, "in-use", lambda folder: locks.append(InstanceLock(lock_path(folder))))
    locks.pop().release()
    _one(scene, "in-memory", _blocked, theme="dark", language="zh_CN")


def refusing(scene: Scene) -> None:
    """A disk that fills up, and a folder that is moved away, in the middle of a chat."""
    with scene.window(Studio([Reply("One.")]), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        program.saving.store.database._writing.execute("PRAGMA max_page_count = 1")
        scene.ask(program, SAID + "x" * 100_000)
        scene.settle(program)
        scene.wait(lambda: program.saving.standing is not None)
        scene.ask(program, SAID)
        scene.settle(program)
        scene.shoot(program, "keeping-full")
        program.window.resize(720, 560)
        scene.shoot(program, "keeping-full-smallest")
        program.window.close()
        scene.shoot(program, "keeping-leave", screen=True)
        program.window.may_close = lambda: True
    with scene.window(Studio([Reply("One.")]), texts.CHATS, theme="dark") as program:
        scene.load(program, "Qwen3 4B")
        home = data_folder()
        home.rename(home.with_name("away"))
        scene.ask(program, SAID)
        scene.wait(lambda: program.saving.standing is not None)
        scene.settle(program)
        scene.shoot(program, "keeping-gone")
        shutil.rmtree(home, ignore_errors=True)
        home.with_name("away").rename(home)
        scene.wait(lambda: program.saving.standing is None)
        scene.shoot(program, "keeping-gone-back")


def _blocked(folder: Path) -> None:
    """Leave no way to keep anything: newer chats, and a folder where others would lie."""
    make_newer(folder, with_copy=False)
    (folder / f"chats-beside-{len(MIGRATIONS)}.db").mkdir()


def _one(scene: Scene, name: str, before: Callable[[Path], None], **settings: object) -> None:
    with scene.window(
        Studio([Reply("In this window.")]), texts.CHATS, before, **settings
    ) as program:
        scene.load(program, "Qwen3 4B")
        scene.shoot(program, f"keeping-{name}-start")
        scene.ask(program, SAID)
        scene.settle(program)
        program.window.notices.dismiss("store-newer")
        scene.shoot(program, f"keeping-{name}")
