"""Files on their way to the model: a document becomes named parts of plain text. No Qt.

The libraries that read PDF or Office files are large and the files come from anywhere, so both
stay in a process of their own (``python -m app.documents``), with limits of time, memory and size.
Importing this package loads none of them.
"""

from app.documents.document import (
    Document,
    DocumentFault,
    DocumentFaultKind,
    DocumentKind,
    Part,
)
from app.documents.limits import LIMITS, Limits
from app.documents.process import read_document

__all__ = [
    "LIMITS",
    "Document",
    "DocumentFault",
    "DocumentFaultKind",
    "DocumentKind",
    "Limits",
    "Part",
    "read_document",
]
