"""Smaller copies of a model: schemes, algorithms, the checkpoint writer, the quality report."""
