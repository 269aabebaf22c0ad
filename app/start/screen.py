"""Whether there is a screen for a window: without one, Qt would end the process with a riddle."""

from __future__ import annotations

from collections.abc import Mapping

_TOLD = ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM")


def no_screen(system: str, variables: Mapping[str, str], *, installed: bool) -> str:
    """Return why no window can open here, with what works instead; "" where one can.

    Args:
        system: as ``sys.platform``; only Linux has computers without a screen.
        variables: of the environment.
        installed: whether the command is that of the installed program.
    """
    if not system.startswith("linux") or any(variables.get(name) for name in _TOLD):
        return ""
    command = "inkstone" if installed else "python -m engine"
    return f"There is no display for a window here. In the terminal: {command} chat starter"
