"""Inkstone's engine: text generation that knows nothing of windows.

Start at ``engine/README.md``.
"""
