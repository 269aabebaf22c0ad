"""One quick question over all other windows: a field, the answer, a way into the chats."""
