"""Prompts that are used again, on screen: the list after a slash, the questions, the editor."""
