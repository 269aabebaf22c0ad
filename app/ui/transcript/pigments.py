r"""The colours that a formula asks for, as pigments of the theme: red is cinnabar, blue azurite.

``\color{blue}`` is #0000ff to LaTeX, which nobody can read on dark paper; each pigment is readable
on the paper of both themes.
"""

from __future__ import annotations

from PySide6.QtGui import QColor

from app.ui.theme import Theme

_GREY = 0.2  # of full saturation: no hue is meant
_HUES = ((20, "cinnabar"), (70, "ochre"), (190, "accent"), (255, "azurite"), (345, "rouge"))


def pigment(theme: Theme, name: str) -> QColor:
    """Return the colour for a name or number of LaTeX or the web; ink for what is no colour."""
    wanted = QColor.fromString(name.split("!", maxsplit=1)[0].strip())
    if not wanted.isValid():
        return theme.color("ink")
    if wanted.hslSaturationF() < _GREY:
        is_grey = 0.2 < wanted.lightnessF() < 0.9
        return theme.color("ink3" if is_grey else "ink")
    hue = wanted.hslHue()
    return theme.color(next((token for end, token in _HUES if hue < end), "cinnabar"))
