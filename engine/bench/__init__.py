"""``python -m engine bench``: how fast a model runs on this machine, and beside what."""
