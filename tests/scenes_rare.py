"""Pictures of what is seldom seen: the list of questions, folded notices, the badge as a sign."""

from __future__ import annotations

from functools import partial

from app.store.faults import StoreFault, StoreFaultKind
from app.ui.faults import fault_text
from app.ui.notices import Announcement, Tone
from app.ui.store_faults import store_fault_text
from engine.contract import Fault, FaultKind
from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.studio import MODELS, Scene, Studio

_LOOKS = (("", {}), ("-dark-zh", {"theme": "dark", "language": "zh_CN"}))
_ASKED = (
    "How do I proof sourdough at 18 °C, and how do I see that it is ready for the oven?",
    "And in the fridge?",
    "二次发酵要多久？",
    "What is the shortest recipe that works without a mixer, for one loaf of 800 g, please with "
    "the weights of flour, water, salt and starter?",
)


def rare(scene: Scene) -> None:
    """Each of them light and in English, dark and in Chinese."""
    for name, look in _LOOKS:
        _questions(scene, name, look)
        _notices(scene, name, look)
        for scale in (1.0, 1.6):
            _sign(scene, f"{name}-{scale:.1f}", look | {"text_scale": scale})


def _questions(scene: Scene, name: str, look: dict[str, object]) -> None:
    runner = Studio([Reply(texts.SAVINGS_REPLY) for _ in _ASKED])
    with scene.window(runner, texts.CHATS, **look) as program:
        scene.load(program, MODELS[0].name)
        for asked in _ASKED:
            scene.ask(program, asked)
            scene.settle(program)
        popup = program.window.parts.chat.transcript._jump_list.open()
        scene.shoot(program, f"questions{name}", screen=True)
        popup.close()


def _notices(scene: Scene, name: str, look: dict[str, object]) -> None:
    with scene.window(Studio(), texts.CHATS, **look) as program:
        program.window.show_page("models")
        faults = (
            Fault(
                FaultKind.FILE_TRUNCATED,
                {"path": "m.gguf", "size": 1_900_000_000, "expected": 2_500_000_000},
            ),
            Fault(FaultKind.OUT_OF_MEMORY, {"needed": 600_000_000, "free": 0, "device": "cpu"}),
        )
        for number, fault in enumerate(faults):
            phrase = partial(fault_text, fault)
            program.deeds.announce(Announcement(f"fault-{number}", Tone.ERROR, phrase))
        lost = StoreFault(StoreFaultKind.SETTINGS_SET_ASIDE, {"path": "s", "aside": "s.damaged"})
        phrase = partial(store_fault_text, lost)
        program.deeds.announce(Announcement("lost", Tone.WARNING, phrase))
        scene.shoot(program, f"notices-folded{name}")
        program.window.notices.more.click()
        scene.shoot(program, f"notices-open{name}")
        program.window.resize(720, 560)
        scene.shoot(program, f"notices-open-smallest{name}")


def _sign(scene: Scene, name: str, look: dict[str, object]) -> None:
    runner = Studio([Reply(texts.SAVINGS_REPLY)])
    with scene.window(runner, texts.CHATS, **look) as program:
        scene.load(program, MODELS[0].name)
        scene.ask(program, texts.SAVINGS)
        scene.settle(program)
        program.window.resize(720, 560)
        scene.shoot(program, f"sign{name}")
