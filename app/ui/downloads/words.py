"""A download in words."""

from __future__ import annotations

from app.language import Language
from app.ui.faults import fault_text
from engine.library.downloads.order import DownloadState, Phase


def state_words(state: DownloadState, language: Language) -> str:
    """Return how far a download is: bytes, rate, time left; or why it stands still."""
    text = language.text
    total = language.bytes_text(state.total) if state.total else ""
    done = language.bytes_text(state.done, state.total)
    if state.phase is Phase.FINISHED:
        verified = "download-verified" if state.verified else "download-unverified"
        said = text(verified, size=total or done)
        aside = text("download-aside", folder=state.aside) if state.aside else ""
        return " · ".join(each for each in (said, aside) if each)
    if state.fault is not None:
        return fault_text(state.fault, language).sentence
    if state.phase is Phase.PAUSED:
        return text("download-paused", done=done, total=total or "?")
    if state.phase is Phase.WAITING and not state.done:
        return text("download-waiting", size=total or "?")
    return _running_words(state, done, total, language)


def _running_words(state: DownloadState, done: str, total: str, language: Language) -> str:
    if state.verifying:
        return language.text("download-verifying", size=total)
    far = language.text("download-far", done=done, total=total or "?")
    if not state.rate:
        return far
    rate = language.text("download-rate", rate=language.bytes_text(round(state.rate)))
    left = language.seconds(state.seconds_left, whole=True) if state.seconds_left else ""
    return " · ".join(each for each in (far, rate, left) if each)


def network_share(states: list[DownloadState]) -> int:
    """Return how many downloads use the network now."""
    return sum(state.phase is Phase.RUNNING for state in states)
