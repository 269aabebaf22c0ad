"""How long the window stands still when a chat with a very long reply is opened.

Run: ``python tests/bench/long_reply.py [CHARACTERS]``, without a screen.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app.chat.turn import Turn, TurnState
from app.language import Language
from app.ui.theme import Theme
from app.ui.transcript import Transcript
from engine.contract import Role
from tests.bench.transcript_texts import _NOW, a_question, path_of, text_of


def main() -> int:
    """Print the time until the text is there, and the longest that the event loop was held up."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("characters", type=int, nargs="?", default=100_000)
    characters = parser.parse_args().characters
    app = QApplication(sys.argv[:1])
    theme = Theme()
    theme.prepare(app)
    theme.apply(app)
    transcript = Transcript(theme, Language("en"))
    transcript.resize(900, 700)
    transcript.show()
    transcript.show_path(path_of(10))
    QApplication.processEvents()
    text = text_of(characters)
    long = Turn(102, 2, 101, Role.ASSISTANT, text, "", TurnState.COMPLETE, _NOW, "SmolLM2")
    begin = before = time.perf_counter()
    longest = 0.0
    transcript.show_path([a_question(101), long])
    widget = transcript.turn_widget(102)
    assert widget is not None
    while not widget.column.blocks or time.perf_counter() - begin < 0.1:
        QApplication.processEvents()
        now = time.perf_counter()
        longest, before = max(longest, now - before), now
    print(f"{characters:,} characters, {len(widget.column.blocks):,} blocks")
    print(f"there after {1000 * (time.perf_counter() - begin):.0f} ms")
    print(f"longest stand {1000 * longest:.0f} ms")
    transcript.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
