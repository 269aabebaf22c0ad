"""``python -m app``: the window."""

import sys

from app.main import main

sys.exit(main())
