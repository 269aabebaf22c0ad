#!/usr/bin/env python3
"""Use a package in a bare Debian without a network: standard library only.

    sudo python3 installers/clean_root.py dist/inkstone_1.2.3-1_amd64.deb [--root FOLDER]
    sudo python3 installers/clean_root.py dist/inkstone-1.2.3-linux-x86_64.tar.xz

The root is made by debootstrap: no Python, no compiler, no fonts. apt installs the ``.deb``, so
that its dependencies are tested; the archive is unpacked by a user, beside what a desktop has. Then
the network is cut off (``unshare --net``) and the program is used as a person would: the window
under Xvfb, a question in it, a question in the terminal, a smaller copy of a model, the local
server, a double-clicked file, with the window open or not. At the end it is removed, and what is
left is looked at. Every step prints its result; pictures lie in ``FOLDER.pictures``.
"""

from __future__ import annotations

import argparse
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path, PurePosixPath

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from installers.making.bare_forms import STARTER, Form, form_of
from installers.making.bare_root import DISPLAY, USER_HOME, Root, StepError

MIRROR, SUITE = "http://deb.debian.org/debian", "bookworm"
TOOLS = "xvfb xdotool imagemagick curl"  # the tester's own, not the program's
QUESTION = "Why does ice float?"
FORBIDDEN = ("python3", "gcc", "cc", "pip")


def say(name: str, result: str, seconds: float) -> None:
    """Print a step's line."""
    print(f"{name:44} {result}  ({seconds:.1f} s)", flush=True)


def prepare(root: Root) -> str:
    """Make the root, with the tester's tools and a user."""
    if not (root.folder / "etc" / "debian_version").exists():
        command = ["debootstrap", "--variant=minbase", SUITE, str(root.folder), MIRROR]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.copy("/etc/resolv.conf", root.folder / "etc" / "resolv.conf")
    there = [tool for tool in FORBIDDEN if root.run(f"command -v {tool}").status == 0]
    if there:
        raise StepError(f"the root is not bare: it has {', '.join(there)}")
    fonts = root.must("find /usr/share/fonts -type f 2>/dev/null | wc -l", network=True).text
    root.must(
        f"apt-get update -qq && apt-get install -y -qq --no-install-recommends {TOOLS}",
        network=True,
        timeout=600,
    )
    root.run("userdel --remove writer", network=True)  # of an earlier journey
    user = f"useradd --uid 1000 --create-home --home-dir {USER_HOME} writer"
    root.must(user, network=True)
    return f"no Python, no compiler, {fonts} fonts; then the tester's tools"


def no_network(root: Root) -> str:
    """See that nothing outside answers."""
    ran = root.run("curl -s --max-time 3 http://deb.debian.org")
    if ran.status not in {6, 7}:  # curl's words for: no such host, no connection
        raise StepError(f"curl ended with {ran.status} {ran.text[-200:]}")
    return f"cut off (curl: {ran.status})"


def ask_in_terminal(root: Root) -> str:
    """The command line, twice: the second time the kernels are there."""
    ask = f"inkstone chat starter --prompt '{QUESTION}' --max-tokens 40"
    first, second = root.must(ask), root.must(ask)
    if "tokens/s" not in first.text:
        raise StepError(first.text[-400:])
    answer = next((line for line in second.text.splitlines() if len(line) > 40), "")
    return f"first {first.seconds:.1f} s, second {second.seconds:.1f} s: {answer[:60]}…"


def quantize(root: Root) -> str:
    """A smaller copy, by the program's own part as the window starts it."""
    made = f"{USER_HOME}/copy"
    root.must(f"rm -rf {made}; inkstone --part engine quantize /srv/tiny {made} --to 4 --events")
    return root.must(f"ls {made} | tr '\\n' ' '").text


def serve(root: Root) -> str:
    """The local server, and one request of another program."""
    body = '{"messages":[{"role":"user","content":"Hello"}],"max_tokens":8}'
    ran = root.must(
        "inkstone serve starter --port 8765 --no-key >/tmp/serve.log 2>&1 & "
        "for i in $(seq 60); do sleep 1; curl -sf http://127.0.0.1:8765/v1/models >/dev/null"
        " && break; done; curl -sf http://127.0.0.1:8765/v1/chat/completions"
        f" -H 'Content-Type: application/json' -d '{body}'"
    )
    if '"choices"' not in ran.text:
        raise StepError(ran.text[-400:])
    return "one answer"


def window(root: Root, name: str, command: str, act: str, wait_s: float) -> str:
    """Open a window under Xvfb, act on it, take a picture, and close it as a person does."""
    script = (
        f"rm -f /tmp/.X{DISPLAY[1:]}-lock /tmp/.X11-unix/X{DISPLAY[1:]}; mkdir -p /tmp/.X11-unix; "
        f"Xvfb {DISPLAY} -screen 0 1280x820x24 -nolisten tcp >/dev/null 2>&1 & sleep 2; "
        f"began=$(date +%s%N); {command} & "
        "xdotool search --sync --onlyvisible --name . >/dev/null; "
        "echo shown $(( ($(date +%s%N) - began) / 1000000 )) ms; "
        f"{act} sleep {wait_s}; import -window root /tmp/{name}.png; "
        "for p in /proc/[0-9]*; do grep -qs inkstone $p/comm && "
        "awk -v n=$(cat $p/comm) '/VmHWM/{print n, int($2/1024), \"MB\"}' $p/status; done; "
        "xdotool search --onlyvisible --name . windowclose; sleep 2"
    )
    ran = root.must(script, timeout=wait_s + 120)
    root.pictures.mkdir(exist_ok=True)
    shutil.copy(root.folder / "tmp" / f"{name}.png", root.pictures)
    return ", ".join(line for line in ran.text.splitlines() if line.endswith((" ms", " MB")))


def ask_in_window(root: Root) -> str:
    """Ask in the window of a new user; the answer must stand in the chats afterwards."""
    ask = (
        "sleep 25; xdotool mousemove 760 770 click 1; sleep 1; "
        f"xdotool type --delay 20 '{QUESTION}'; xdotool key Return; "
    )
    shown = window(root, "window", "inkstone-window", ask, 20)
    with tempfile.TemporaryDirectory() as copies:  # SQLite leaves files beside what it opens
        for file in (root.folder / USER_HOME[1:] / ".local/share/Inkstone").glob("chats.db*"):
            shutil.copy(file, copies)
        with closing(sqlite3.connect(Path(copies) / "chats.db")) as chats:
            said = "SELECT content FROM turns WHERE role = 'assistant'"
            answers = chats.execute(said).fetchall()
    if not any(content.strip() for (content,) in answers):
        raise StepError(f"no answer in the chats ({shown})")
    return f"{shown}: {answers[-1][0].split('.')[0]}. …"


def start_twice(root: Root, opened: PurePosixPath) -> str:
    """Start it while it is open: the file goes to the window that there is."""
    act = (
        f"sleep 5; again=$(date +%s%N); timeout 60 inkstone-window '{opened}'; "
        "echo the second start ended with $? after $(( ($(date +%s%N) - again) / 1000000 )) ms; "
    )
    shown = window(root, "second", "inkstone-window", act, 20)
    if "ended with 0" not in shown:
        raise StepError(shown)
    return shown


def journey(
    root: Root, form: Form, tiny: Path | None, gguf: Path | None
) -> list[tuple[str, Callable[[], str]]]:
    """The steps in their order."""
    opened = form.home / STARTER
    if gguf is not None:
        opened = PurePosixPath("/srv") / gguf.name
        shutil.copy(gguf, root.folder / "srv" / gguf.name)
        (root.folder / "srv" / gguf.name).chmod(0o644)
    steps: list[tuple[str, Callable[[], str]]] = [
        ("a bare root", lambda: prepare(root)),
        ("install the package", lambda: form.install(root)),
        ("no network from here on", lambda: no_network(root)),
        ("ask in the terminal", lambda: ask_in_terminal(root)),
        ("open the window, ask", lambda: ask_in_window(root)),
        ("open it again, warm", lambda: window(root, "again", "inkstone-window", "", 10)),
        ("open a file by its name",
         lambda: window(root, "file", f"inkstone-window '{opened}'", "", 20)),
        ("start it a second time with a file", lambda: start_twice(root, opened)),
        ("serve, one request", lambda: serve(root)),
        ("remove the package", lambda: form.remove(root)),
    ]  # fmt: skip
    if tiny is not None:
        shutil.copytree(tiny, root.folder / "srv" / "tiny", dirs_exist_ok=True)
        for file in (root.folder / "srv" / "tiny").iterdir():
            file.chmod(0o644)
        steps.insert(-1, ("make a smaller copy", lambda: quantize(root)))
    return steps


def main() -> int:
    """Walk through every step; the exit status says whether all did what they promise."""
    parser = argparse.ArgumentParser(description="Use a package in a bare Debian.")
    parser.add_argument("package", type=Path)
    parser.add_argument("--root", type=Path, default=Path("/tmp/inkstone-root"))
    parser.add_argument("--tiny", type=Path, help="a model folder (safetensors) to quantize")
    parser.add_argument("--gguf", type=Path, help="the file to open; else the starter model")
    options = parser.parse_args()
    root, failed = Root(options.root.absolute()), 0
    for name, step in journey(root, form_of(options.package), options.tiny, options.gguf):
        began = time.monotonic()
        try:
            result = step()
        except (StepError, subprocess.SubprocessError, OSError) as error:
            result, failed = f"FAILED: {error}", failed + 1
        say(name, result, time.monotonic() - began)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
