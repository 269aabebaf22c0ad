"""What lies beside a smaller copy's weights, and the limits of its report and its answers."""

from __future__ import annotations

QUALITY = "quality.json"
"""Its quality report."""

FACTS = "quantization.json"
"""How it was made, and the name of what it was made of."""

LOWEST_DRIFT = -5
"""The logarithm of the least divergence that a report's ``drift`` tells apart; the last is 0."""

REPORT_TOKENS = 96
"""Of the two answers of a report at most: it measures many models one after the other."""

REPLY_TOKENS, MOST_REPLY_TOKENS = 256, 4096
"""Of an answer to a question to both: at first, and at most where it is to go on."""
