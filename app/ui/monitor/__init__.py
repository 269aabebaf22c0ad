"""The monitor: what requests took, drawn over time."""
