"""The program's icon as files: ``python icons.py TARGET``, with the frozen environment's Python.

A target ``….ico`` or ``….icns`` is one file of many sizes; anything else is a folder as the
freedesktop icon theme wants it: ``48x48/apps/inkstone.png`` and so on.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer
from PySide6.QtWidgets import QApplication

from app.ui.seal import window_icon
from app.ui.theme import Theme

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)


def draw(size: int) -> Image.Image:
    """The icon in so many pixels."""
    picture = window_icon(Theme("light")).pixmap(size, size)
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    drawn = Image.open(io.BytesIO(bytes(buffer.data().data()))).convert("RGBA")
    return drawn if drawn.width == size else drawn.resize((size, size), Image.Resampling.LANCZOS)


def main(target: Path) -> None:
    """Write the icon in the form that the target's name asks for."""
    app = QApplication(["icons", "-platform", "offscreen"])
    if target.suffix in {".ico", ".icns"}:
        sizes = [size for size in SIZES if target.suffix == ".icns" or size <= 256]
        pictures = [draw(size) for size in sizes]
        pictures[-1].save(target, append_images=pictures[:-1], sizes=[(s, s) for s in sizes])
    else:
        for size in SIZES:
            file = target / f"{size}x{size}" / "apps" / "inkstone.png"
            file.parent.mkdir(parents=True, exist_ok=True)
            draw(size).save(file)
    app.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
