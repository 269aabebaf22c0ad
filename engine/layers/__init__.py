"""Maths that families share: norms, rotary positions, attention, feed-forward, linear."""
