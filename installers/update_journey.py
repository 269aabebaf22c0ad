#!/usr/bin/env python3
"""Let an installed program update itself and go back, by its own buttons, over loopback.

    PYTHON installers/update_journey.py dist/inkstone-1.2.3-linux-x86_64.tar.xz [--next ARCHIVE]

``PYTHON`` has the program's libraries (``build/environment/bin/python``: tuf signs). The archive is
unpacked as a person would; keys are made and put into it as a build puts them; the same tree, or
that of a second archive, becomes the next release under a higher version, signed by
``sign_release.py`` and served on 127.0.0.1. Then the frozen window runs under Xvfb and is used
through AT-SPI: look, download, restart, and back. At each end the window and the launchers say
which version runs. Needs ``xvfb xauth dbus at-spi2-core python3-gi gir1.2-atspi-2.0 imagemagick``.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from installers.making import sign_release

INSTALLERS = Path(__file__).resolve().parent
RESOURCES = Path("program", "_internal", "packages", "resources")
NEXT = "99.0.0"
NOTES = {"en": "# Faster\n\n- *Everything* is a little faster."}


def say(name: str, result: str, began: float) -> None:
    """Print a step's line."""
    print(f"{name:40} {result}  ({time.monotonic() - began:.1f} s)", flush=True)


def unpack(package: Path, folder: Path) -> Path:
    """Unpack the archive; the folder with the launchers."""
    with tarfile.open(package, "r:xz") as archive:
        archive.extractall(folder, filter="data")
    (top,) = folder.iterdir()
    return top


def add_channel(top: Path, keys: Path, port: int) -> None:
    """Let a version look for newer ones here, as a build does: every version carries it."""
    channel = top / RESOURCES / "update"
    channel.mkdir(exist_ok=True)
    (channel / "address.txt").write_text(f"http://127.0.0.1:{port}\n")
    shutil.copy(keys / "root.json", channel / "root.json")


def next_release(top: Path, folder: Path) -> Path:
    """A tree under a higher version, as the archive of that version."""
    name = f"inkstone-{NEXT}-linux-x86_64"
    version = folder / "version.txt"
    version.write_text(NEXT + "\n", "utf-8")
    package = folder / f"{name}.tar.xz"
    with tarfile.open(package, "w:xz", preset=0) as archive:
        for path in sorted(top.rglob("*")):
            inside = path.relative_to(top)
            source = version if inside == RESOURCES / "version.txt" else path
            archive.add(source, f"{name}/{inside.as_posix()}", recursive=False)
    return package


def serve(site: Path) -> ThreadingHTTPServer:
    """Serve a folder on this computer alone."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing of every request."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def told_version(top: Path) -> str:
    """What the launcher says that it starts."""
    ran = subprocess.run(
        [top / "inkstone", "--version"], capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def use(top: Path, home: Path, pictures: Path, *steps: str) -> None:
    """Use the window under Xvfb, on a bus of its own."""
    told = {
        "HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
        "INKSTONE_HOME": str(home / "data"), "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "XDG_RUNTIME_DIR": str(home / "run"),
    }  # fmt: skip
    (home / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
    command = ["dbus-run-session", "--", "xvfb-run", "-a", "-s", "-screen 0 1280x820x24"]
    command += [
        "/usr/bin/python3",
        "-W",
        "ignore",
        str(INSTALLERS / "making" / "pressing.py"),
        *steps,
    ]
    # processes of their own: the end of the steps ends the program that an update started
    alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    subprocess.run([*alone, *command] if os.getuid() == 0 else command, env=told, check=True)


def main() -> int:
    """Go there and back; the exit status."""
    parser = argparse.ArgumentParser(description="Let an installed program update itself.")
    parser.add_argument("package", type=Path)
    parser.add_argument("--next", type=Path, help="the archive of the next release; else the same")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/inkstone-update"))
    options = parser.parse_args()
    folder: Path = options.folder.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    made, site, pictures = folder / "made", folder / "site", folder / "pictures"
    for each in (made, pictures):
        each.mkdir(parents=True)
    began = time.monotonic()
    top = unpack(options.package, folder / "My programs 程序")
    first = told_version(top)
    say("unpack", first, began)
    began = time.monotonic()
    sign_release.make_keys(folder / "keys")
    server = serve(site)
    later = unpack(options.next, folder / "next") if options.next else top
    for tree in {top, later}:
        add_channel(tree, folder / "keys", server.server_port)
    package = next_release(later, made)
    shutil.rmtree(folder / "next", ignore_errors=True)
    sign_release.sign(folder / "keys", site, NEXT, NOTES, [package])
    say("sign and serve", f"{NEXT}, {package.stat().st_size / 1e6:,.0f} MB", began)
    try:
        there_and_back(top, folder, pictures, first)
    except subprocess.CalledProcessError as error:
        print(f"FAILED: {error}", flush=True)
        return 1
    finally:
        server.shutdown()
    return 0


def there_and_back(top: Path, folder: Path, pictures: Path, first: str) -> None:
    """Update by the window's buttons, look at what runs then, and go back by them."""
    window = f"start:'{top}/inkstone-window'"
    about = ("press:Settings", "press:About")
    number = re.escape(first.rpartition(" ")[2])  # a version between two tags has a plus in it
    began = time.monotonic()
    use(
        top, folder / "home", pictures, window, *about, f"wait:^{number}$",
        "press:Look for updates…", f"wait:Inkstone {NEXT}", f"picture:{pictures}/found.png",
        "press:Download and install", "wait:verified and starts the next time",
        f"picture:{pictures}/ready.png", "press:Restart now", "gone",
        *about, f"wait:^{NEXT}$", f"picture:{pictures}/updated.png",
    )  # fmt: skip
    check(top, f"Inkstone {NEXT}", began, "update by the window")
    began = time.monotonic()
    use(
        top, folder / "home", pictures, window, *about, f"wait:^{NEXT}$", "press:Go back…",
        f"picture:{pictures}/back.png", "press:Close and go back", "gone",
        *about, f"wait:^{number}$", f"picture:{pictures}/before.png",
    )  # fmt: skip
    check(top, first, began, "go back by the window")


def check(top: Path, wanted: str, began: float, name: str) -> None:
    """See that the launchers start what the window said.

    Raises:
        SystemExit: they do not.
    """
    if (told := told_version(top)) != wanted:
        raise SystemExit(f"{name}: {top}/inkstone says {told!r}, not {wanted!r}")
    say(name, told, began)


if __name__ == "__main__":
    sys.exit(main())
