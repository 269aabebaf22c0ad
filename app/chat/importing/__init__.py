"""Chats of other programs, and our own, read from files into bundles for the store.

``read_chats(path)`` takes whatever a person points at: a file, a zip, a folder. Nothing is written;
a chat that cannot be read is named and costs no other.
"""

from app.chat.importing.read import ImportFailure, ImportReport, read_chats

__all__ = ["ImportFailure", "ImportReport", "read_chats"]
