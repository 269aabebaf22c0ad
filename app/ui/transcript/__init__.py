"""The transcript: an open chat on paper, from the first turn to the growing end of the last."""

from app.ui.transcript.transcript import Transcript

__all__ = ["Transcript"]
