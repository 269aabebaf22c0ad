"""The page that brings a model: this computer, three that suit it, a search, files."""
