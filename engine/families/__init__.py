"""Model architectures, one file each, read from top to bottom; ``registry.py`` has their rows."""
