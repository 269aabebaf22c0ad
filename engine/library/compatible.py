"""Which architectures transformers implements, without importing it (that takes seconds).

Its own table of model types is a literal in its source; the names are read from there, so that they
are those of the version that is installed.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_TABLES = re.compile(
    r"^MODEL_FOR_(?:CAUSAL_LM|SEQ_TO_SEQ_CAUSAL_LM)_MAPPING_NAMES = .*?^\)",
    re.MULTILINE | re.DOTALL,
)
_ROW = re.compile(r'^\s*\("([\w.-]+)",', re.MULTILINE)


@cache
def compatible_types() -> frozenset[str]:
    """Every ``model_type`` that transformers can load as a language model; none without it."""
    spec = find_spec("transformers")
    if spec is None or spec.origin is None:
        return frozenset()
    source = Path(spec.origin).parent / "models" / "auto" / "modeling_auto.py"
    try:
        text = source.read_text("utf-8")
    except OSError:
        return frozenset()
    return frozenset(name for table in _TABLES.findall(text) for name in _ROW.findall(table))
