"""Inkstone's window: a Qt application that knows nothing of tensors. Start at ``app/README.md``."""
