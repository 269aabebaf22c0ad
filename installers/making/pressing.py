"""Presses buttons of a program and reads its texts as a screen reader would: the system's Python.

    /usr/bin/python3 installers/making/pressing.py STEP…

Needs PyGObject and AT-SPI (``python3-gi gir1.2-atspi-2.0 at-spi2-core``), nothing of Inkstone, so
that what is tested is the installed program alone. Steps, each with a limit of ten minutes:

    start:COMMAND      start a program, without waiting for its end
    press:NAME         press the button or choose the row of that name, once it is there
    wait:TEXT          wait until something says a text
    picture:FILE       keep what is on the screen (import of ImageMagick)
    gone               wait until no program is in the accessibility tree
"""

import re
import subprocess
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

LIMIT_S = 600
DEEPEST = 40


def nodes(node, depth=0):
    """Yield what is on the screen below a node."""
    for number in range(min(node.get_child_count(), 500)):
        child = node.get_child_at_index(number)
        if child is None or depth > DEEPEST:
            continue
        if depth == 0 or child.get_state_set().contains(Atspi.StateType.SHOWING):
            yield child
            yield from nodes(child, depth + 1)


def everything():
    """Yield what every program on this desktop shows; what goes away meanwhile is passed over."""
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        program = desktop.get_child_at_index(number)
        if program is not None and program.get_child_count():
            try:
                yield from nodes(program)
            except GLib.GError:
                continue


def words_of(node):
    """Everything that a node says."""
    said = [node.get_name() or "", node.get_description() or ""]
    if (text := node.get_text_iface()) is not None:
        said.append(Atspi.Text.get_text(text, 0, Atspi.Text.get_character_count(text)))
    return "\n".join(said)


def until(what, look):
    """Look again and again until something is there."""
    end, context = time.monotonic() + LIMIT_S, GLib.MainContext.default()
    while time.monotonic() < end:
        while context.pending():  # what was seen before is kept until a signal says otherwise
            context.iteration(False)
        try:
            if found := look():
                return found
        except GLib.GError:
            pass  # it went away while it was looked at
        time.sleep(0.3)
    try:
        seen = sorted({node.get_name() for node in everything()} - {""})
    except GLib.GError:
        seen = []
    sys.exit(f"not within {LIMIT_S} s: {what}\nthere is: {seen}")


def press(name):
    """Press, or choose, what has a name; the last one of it that is on the screen."""

    def look():
        found = [
            node for node in everything()
            if node.get_name() == name and node.get_state_set().contains(Atspi.StateType.ENABLED)
            and (node.get_action_iface() is not None or "item" in node.get_role_name())
        ]  # fmt: skip
        return found[-1] if found else None

    node = until(f"a button {name!r}", look)
    action = node.get_action_iface()
    count = Atspi.Action.get_n_actions(action) if action is not None else 0
    names = [Atspi.Action.get_action_name(action, number) for number in range(count)]
    if names:  # a button that stays down could also be toggled, which is no click
        Atspi.Action.do_action(action, names.index("Press") if "Press" in names else 0)
    parent = node.get_parent()
    if parent is not None and (chooser := parent.get_selection_iface()) is not None:
        Atspi.Selection.select_child(chooser, node.get_index_in_parent())


def step(word):
    """Do one step."""
    kind, _, rest = word.partition(":")
    match kind:
        case "start":
            subprocess.Popen(rest, shell=True, start_new_session=True)
        case "press":
            press(rest)
        case "wait":
            pattern = re.compile(rest)
            until(
                f"a text {rest!r}", lambda: any(pattern.search(words_of(n)) for n in everything())
            )
        case "picture":
            time.sleep(1)
            subprocess.run(["import", "-window", "root", rest], check=True)
        case "gone":
            until("an end", lambda: not any(True for _ in everything()))
        case _:
            sys.exit(f"no step: {word}")


for given in sys.argv[1:]:
    began = time.monotonic()
    step(given)
    print(f"{given[:90]:92} {time.monotonic() - began:6.1f} s", flush=True)
