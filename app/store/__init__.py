"""What outlives the program: chats in SQLite, settings, folders. No Qt."""
