"""The advisor: what is slow, poor or too large here, and a button for it."""
