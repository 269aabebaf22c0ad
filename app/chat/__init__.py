"""Conversations: the tree of turns, the state of a running reply, the list of chats.

QtCore at most.
"""
