"""Engines, models and stores that tests drive by hand; each obeys the laws of what it doubles."""
