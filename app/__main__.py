"""``python -m app``: the window."""

import sys

from app.application import main

sys.exit(main())
