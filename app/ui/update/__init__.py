"""Newer versions of the program: what is new, how large, fetched when asked for, taken back."""
