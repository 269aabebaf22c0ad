"""``python -m engine``: see ``engine.cli``."""

import sys


def _run() -> int:
    try:
        from engine.cli import main  # noqa: PLC0415 - Ctrl-C may come while it is read

        return main()
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130


sys.exit(_run())
