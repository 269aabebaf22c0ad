"""Markdown to blocks to text documents, and the colours of code. No widgets, no engine."""
