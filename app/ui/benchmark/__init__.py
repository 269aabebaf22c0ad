"""The benchmark page: its charts, and what is measured now."""
