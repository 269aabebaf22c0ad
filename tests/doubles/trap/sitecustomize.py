"""On the path of a Python process, notes every address that it asks for and is not this computer.

Names are not resolved, and connections hang for a while before they fail: as a network does whose
packets are dropped. Whatever waited for it would be slow.
"""

import os
import sys
import time

_HERE = ("127.", "::1", "localhost", "0.0.0.0", "::")


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in {"socket.connect", "socket.sendto", "socket.bind"}:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    else:
        return
    name = host.decode() if isinstance(host, bytes) else host
    if not name or str(name).startswith(_HERE):
        return
    with open(os.environ["INKSTONE_TRAP"], "a", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {event} {name}\n")
    time.sleep(5)
    raise OSError(110, "Connection timed out")


sys.addaudithook(_watch)
