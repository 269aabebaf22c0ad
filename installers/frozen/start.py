"""What the executables run: finds the packages beside them, then ``app.frozen``."""

import sys
from pathlib import Path

_INSIDE = Path(getattr(sys, "_MEIPASS", ""))
# a signed bundle keeps what is no machine code in its resources
_HOME = _INSIDE.parent / "Resources" if sys.platform == "darwin" else _INSIDE
sys.path.insert(0, str(_HOME / "packages"))

from app.frozen import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
