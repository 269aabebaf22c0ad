"""A conversation on a terminal's screen: replies as Markdown, lines with a history, commands."""
