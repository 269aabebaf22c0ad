"""Pictures of formulas as models write them: every one, and among words, selected and in tables."""

from __future__ import annotations

from app.application import Application
from app.ui.transcript.selection import Whole
from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.rendering.formulas_of_models import GROUPS
from tests.studio import Scene, Studio

AMONG_WORDS = r"""The slope is $\frac{a}{b}$, the mass $m_n$,
and $\textcolor{red}{x} + \textcolor{blue}{y}$ is coloured.

| rule | formula |
|---|---|
| matrix | $\begin{pmatrix}1&2\\3&4\end{pmatrix}$ |
| water $\ce{H2O}$ | $\sqrt{2}$ |

### Energy $E = mc^2$

1. half: $\frac{1}{2}$
2. area: $\int_0^1 x\,dx$
"""


def formulas(scene: Scene) -> None:
    pages = {name: "\n\n".join(f"$$\n{f}\n$$" for f in group) for name, group in GROUPS.items()}
    for theme, language in (("light", "en"), ("dark", "zh_CN")):
        replies = [Reply(text) for text in (*pages.values(), AMONG_WORDS)]
        with scene.window(Studio(replies), texts.CHATS, theme=theme, language=language) as program:
            scene.load(program, "Qwen3 4B")
            for number, name in enumerate((*pages, "Words")):
                scene.ask(program, name)
                scene.settle(program)
                scene.wait(lambda: is_drawn(program))
                scene.shoot(program, f"formulas-{number}-{theme}")
            _select(program)
            scene.shoot(program, f"formulas-selected-{theme}")


def is_drawn(program: Application) -> bool:
    """Tell whether all is set that can be seen, and every formula of it drawn."""
    transcript = program.window.parts.chat.transcript
    transcript.flush()
    return not transcript._formulas.is_drawing


def _select(program: Application) -> None:
    for part in program.window.parts.chat.transcript.parts():
        if isinstance(part, Whole):
            part.take(taken=True)
        else:
            part.selectAll()
