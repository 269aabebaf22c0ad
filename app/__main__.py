"""``python -m app``: the window."""

from app.main import main

main()
