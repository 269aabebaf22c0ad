"""A screen reader in small, run by the system's Python: ``reader.py OUT COMMAND…``.

It starts a program that says ``STATE name`` on its standard output and waits for a line. At each
state it reads the program's tree over AT-SPI as a screen reader would, writes down what was
announced since the last, and answers. Needs PyGObject and AT-SPI's introspection data; nothing of
this repository.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

STATES = ("FOCUSED", "FOCUSABLE", "SHOWING", "ENABLED", "EDITABLE", "READ_ONLY",
          "CHECKED", "CHECKABLE", "SELECTED", "SELECTABLE", "EXPANDED")  # fmt: skip
KINDS = {getattr(Atspi.StateType, name): name.lower() for name in STATES}
LONGEST = 400  # characters of a text that are written down


def read(node, depth=0):
    """Return what a node and everything below it says, as plain values."""
    states = node.get_state_set()
    said = {
        "role": node.get_role_name(),
        "name": node.get_name() or "",
        "about": node.get_description() or "",
        "states": [name for kind, name in KINDS.items() if states.contains(kind)],
        "depth": depth,
    }
    if "showing" not in said["states"] and depth > 1:
        return None
    text = node.get_text_iface()
    if text is not None:
        said["text"] = Atspi.Text.get_text(
            text, 0, min(LONGEST, Atspi.Text.get_character_count(text))
        )
    action = node.get_action_iface()
    if action is not None:
        count = Atspi.Action.get_n_actions(action)
        said["actions"] = [Atspi.Action.get_action_name(action, n) for n in range(count)]
    count = min(node.get_child_count(), 400)
    below = (node.get_child_at_index(number) for number in range(count))
    said["children"] = [each for child in below if child and (each := read(child, depth + 1))]
    return said


def application(pid):
    """Return the program's node, once it is there."""
    for _ in range(2400):  # two minutes: on busy cores a window needs its time
        desktop = Atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            node = desktop.get_child_at_index(number)
            if node is not None and node.get_process_id() == pid and node.get_child_count():
                return node
        time.sleep(0.05)
    raise SystemExit("the program is not in the accessibility tree")


def main() -> None:
    """Follow the program from state to state, then write down what was read."""
    out, command = sys.argv[1], sys.argv[2:]
    Atspi.set_timeout(60_000, 60_000)  # ms; 0.8 s is too short where other programs compute
    heard: list[dict] = []

    def on_event(event):
        if event.type.startswith("object:announcement"):
            heard.append({"kind": "announcement", "said": event.any_data, "how": event.detail1})
        elif event.detail1:
            with contextlib.suppress(GLib.GError):  # it may be gone already
                name, role = event.source.get_name(), event.source.get_role_name()
                heard.append({"kind": "focus", "said": name, "role": role})

    listener = Atspi.EventListener.new(on_event)
    listener.register("object:announcement")
    listener.register("object:state-changed:focused")
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    states = {}
    context = GLib.MainContext.default()
    for line in program.stdout:
        if not line.startswith("STATE "):
            continue
        began = time.monotonic()
        while time.monotonic() - began < 0.15 or context.pending():
            context.iteration(False) or time.sleep(0.005)
        tree = read(application(program.pid))
        states[line.split()[1]] = {"tree": tree, "heard": heard[:]}
        print(line.strip(), f"{time.monotonic() - began:.2f} s", file=sys.stderr)
        heard.clear()
        program.stdin.write("\n")
        program.stdin.flush()
    status = program.wait(10)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(states, file, ensure_ascii=False, indent=1)
    sys.exit(status)


main()
