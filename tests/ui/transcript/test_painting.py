"""What stands on the screen after every piece of a growing reply is what a new picture would show.

Little is painted while text grows: what is there is moved, and new lines are added. A picture of
the whole transcript, painted anew, must be the same in every pixel but the scroll bar's, whose
handle follows some time later.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.ui.transcript import Transcript
from engine.contract import Channel
from tests.ui.transcript.conftest import Open, growing, question

PROSE = "The keeper of the light wrote the names of ships into a book, and waves broke below. "
MIXED = f"""{PROSE * 3}

{PROSE}with **bold words**, `code in it` and a [link](https://example.com/a).

- a first point with some words
- a second one: {PROSE}

> quoted words, {PROSE}

```python
def light(on: bool) -> str:
    return "on" if on else "off"
```

| a | b |
|---|---|
| one | two |

1. {PROSE}

茶杯越小，水越凉：记住这一句话。{"芽越嫩，水越凉。" * 20}

{PROSE * 4}
"""
_BAR = 12  # px


def on_screen(transcript: Transcript) -> QImage:
    QApplication.processEvents()
    found = transcript.screen().grabWindow(transcript.winId())
    return found.toImage().convertToFormat(QImage.Format.Format_RGB32)


def painted_anew(transcript: Transcript) -> QImage:
    return transcript.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def assert_true_to_itself(transcript: Transcript) -> None:
    area = QRect(0, 0, transcript.width() - _BAR, transcript.height())
    shown, wanted = on_screen(transcript).copy(area), painted_anew(transcript).copy(area)
    if shown != wanted:
        rows = [y for y in range(area.height()) if shown.copy(0, y, area.width(), 1)
                != wanted.copy(0, y, area.width(), 1)]  # fmt: skip
        pytest.fail(f"rows {rows[0]} to {rows[-1]} are not what they should be")


@pytest.mark.parametrize("size", [23, 90, 400])
@pytest.mark.parametrize("reasons", [False, True])
def test_a_growing_reply_is_painted_as_it_is(opened: Open, size: int, reasons: bool) -> None:
    transcript = opened(question(1, "x"), growing(2), width=700, height=420)
    QApplication.processEvents()
    if reasons:
        transcript.push_text(2, Channel.REASONING, "It thinks.\n\n")
    for start in range(0, len(MIXED), size):
        transcript.push_text(2, Channel.ANSWER, MIXED[start : start + size])
        transcript.flush()
        assert_true_to_itself(transcript)


def test_a_reply_below_the_view_leaves_what_is_read_alone(opened: Open) -> None:
    transcript = opened(question(1, "x"), growing(2, PROSE * 60), width=700, height=420)
    transcript.flush()
    transcript.verticalScrollBar().setValue(300)
    for _ in range(4):
        transcript.push_text(2, Channel.ANSWER, PROSE)
        transcript.flush()
        assert_true_to_itself(transcript)
    assert not transcript.is_at_end()
