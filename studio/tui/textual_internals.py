"""What the studio uses of the private modules of Textual: those whose names begin with an underscore.

No other module imports one, and no class uses a private name but those that `tests/studio/private_names.yml` lists.
Textual is pinned exactly; `tests/studio/test_textual_internals.py` reports which names a newer version has changed.
"""

from __future__ import annotations

from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.document._document import EditResult, Location, Selection
from textual.document._document_navigator import DocumentNavigator
from textual.document._edit import Edit
from textual.document._wrapped_document import WrappedDocument
from textual.drivers._writer_thread import WriterThread

__all__ = [
    "DocumentNavigator",
    "Edit",
    "EditResult",
    "Location",
    "Selection",
    "StylesCache",
    "WrappedDocument",
    "WriterThread",
    "XTermParser",
]
