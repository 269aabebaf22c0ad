"""Widgets only: what a person sees and touches."""
