"""Pictures of the CUDA runtime's offer and dialog; no driver is asked, the states are set."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtTest import QTest

from app.application import Application
from app.chat.gpu_runtime import Deed, Outlook, RuntimeState
from app.ui.runtime.dialog import RuntimeDialog
from engine.contract import Fault, FaultKind
from engine.library.runtime.driver import Driver
from engine.library.runtime.place import Runtime
from engine.library.runtime.variants import read_variants
from tests import screenshot_texts as texts
from tests.studio import Scene

DRIVER = Driver("580.95.05", "8.9", "NVIDIA GeForce RTX 4060 Laptop GPU")
VARIANT = read_variants()[0]
OFFERED = Outlook(DRIVER, VARIANT, free=210_000_000_000)
BEGUN = Outlook(DRIVER, VARIANT, held=1_310_000_000, arrived=1_310_000_000, free=200_000_000_000)
HERE = Outlook(DRIVER, VARIANT, found=Runtime(Path("/x")), held=4_785_000_000)
BROKEN = Outlook(
    DRIVER, VARIANT, found=Runtime(Path("/x"), "libcudart.so.13: cannot open shared object file"),
    held=4_785_000_000,
)  # fmt: skip
FETCHING = RuntimeState(BEGUN, Deed.FETCHING, 1_310_000_000, VARIANT.download)
EVERY_STATE = (
    RuntimeState(),
    RuntimeState(Outlook(fault=Fault(FaultKind.RUNTIME_NO_DRIVER)), Deed.NOTHING),
    RuntimeState(Outlook(DRIVER, VARIANT, has_own=True), Deed.NOTHING),
    RuntimeState(OFFERED, Deed.NOTHING),
    RuntimeState(Outlook(DRIVER, VARIANT, free=3_000_000_000), Deed.NOTHING),
    FETCHING,
    RuntimeState(BEGUN, Deed.NOTHING, 1_310_000_000),
    RuntimeState(BEGUN, Deed.UNPACKING, VARIANT.download, VARIANT.download),
    RuntimeState(HERE, Deed.NOTHING),
    RuntimeState(HERE, Deed.NOTHING, is_new=True),
    RuntimeState(BROKEN, Deed.NOTHING),
    RuntimeState(HERE, Deed.REMOVING),
    RuntimeState(OFFERED, Deed.NOTHING, freed=4_785_000_000),
    RuntimeState(OFFERED, Deed.NOTHING, fault=Fault(FaultKind.OFFLINE, {"host": "pypi.org"})),
    RuntimeState(
        BEGUN, Deed.NOTHING, 1_310_000_000,
        fault=Fault(FaultKind.NETWORK_UNREACHABLE, {"host": "pypi.org"}),
    ),
)  # fmt: skip


def runtime_dialog(program: Application, state: RuntimeState) -> RuntimeDialog:
    """The dialog over the window, in a state; nobody looks around meanwhile."""
    on_screen = program.surroundings.runtime
    on_screen.runtime.state = state
    dialog = RuntimeDialog(program.look, on_screen.runtime, program.window)
    dialog.open()
    return dialog


def runtime(scene: Scene) -> None:
    from tests.screenshots import Studio

    looks = (
        ("", "light", "en", 1280),
        ("-dark-zh", "dark", "zh_CN", 1280),
        ("-narrow", "light", "en", 720),
    )
    for name, theme, language, width in looks:
        with scene.window(Studio(), texts.CHATS, theme=theme, language=language) as program:
            program.window.resize(width, 832)
            on_screen = program.surroundings.runtime
            program.window.show_page("models")
            QTest.qWait(300)
            on_screen.runtime.show(OFFERED)
            scene.shoot(program, f"runtime-offer{name}")
            for number, called in ((3, "offered"), (5, "fetching"), (9, "new"), (10, "broken")):
                dialog = runtime_dialog(program, EVERY_STATE[number])
                QTest.qWait(80)
                dialog.grab().save(str(scene._out / f"runtime-{called}{name}.png"))
                dialog.reject()
