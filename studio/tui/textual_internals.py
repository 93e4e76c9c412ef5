"""The private names of Textual that the studio uses: those that begin with an underscore.

No other module imports a private module of Textual, and no class uses a private name that is not listed here. Textual
is pinned exactly; `tests/studio/test_textual_internals.py` reports which names a newer version has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.document._document import EditResult, Location, Selection
from textual.document._document_navigator import DocumentNavigator
from textual.document._edit import Edit
from textual.document._wrapped_document import WrappedDocument
from textual.drivers._writer_thread import WriterThread

__all__ = [
    "PRIVATE_NAMES",
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

PRIVATE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "App._exit_renderables": "read: what is printed after the application has left the terminal",
        "App._fatal_error": "overridden: a fault is reported without variables, which might hold a secret",
        "App._notifications": "read: a message that is still on the screen is not shown a second time",
        "App._unnotify": "called: likewise",
        "DOMNode._bindings": "read: a bound key acts at once, before letters that arrived with it",
        "Edit._edit_result": "set: the history groups edits by it",
        "LinuxDriver._writer_thread": "read: whether it has the terminal",
        "MessagePump._close_messages_no_wait": "called: ends the app after a fault of the studio's own",
        "OptionList._lines": "read: which option a line belongs to, to mark the highlighted one",
        "Screen._callbacks": "read: what waits for the next frame of a dialog that closes",
        "Screen._compositor": "read: the text on the screen, for pictures that wait for it",
        "Screen._invoke_later": "called: the screen below a dialog calls what waited for the dialog's next frame",
        "TextArea._app_theme_changed": "overridden: the styles are read again",
        "TextArea._cursor_offset": "read: the row and cell of the cursor",
        "TextArea._delete_cursor_line": "called: cuts the line where nothing is selected",
        "TextArea._delete_via_keyboard": "called: cuts what is selected",
        "TextArea._draw_cursor": "read: whether the cursor is visible",
        "TextArea._matching_bracket_location": "read: where the other bracket is",
        "TextArea._on_key": "overridden: bindings first, and what Enter, Tab and Escape mean here",
        "TextArea._on_mouse_move": "overridden: the problem under the mouse is shown",
        "TextArea._on_paste": "overridden: pasted text takes the line ends of the document",
        "TextArea._recompute_cursor_offset": "called: the cursor after the text was wrapped again",
        "TextArea._redo_batch": "overridden: redoes by offsets, to the last code point",
        "TextArea._refresh_size": "called: the size after the text changed or was wrapped again",
        "TextArea._replace_via_keyboard": "called: typed text replaces the selection",
        "TextArea._rewrap_and_refresh_virtual_size": "overridden: keeps the row being read in its place",
        "TextArea._selecting": "read: no tooltip is shown while it selects",
        "TextArea._set_document": "overridden: the document preserves the file's exact text",
        "TextArea._undo_batch": "overridden: undoes by offsets, to the last code point",
        "TextArea._watch_selection": "overridden: reports the cursor, and repaints only rows that changed",
        "TextArea._watch_show_vertical_scrollbar": "overridden: wraps for the remaining width",
        "TextArea._watch_soft_wrap": "overridden: wraps without scrolling to the middle",
        "TextArea._yield_character_locations": "overridden: searches for a bracket only near the visible rows",
        "TextArea._yield_character_locations_reverse": "overridden: likewise, backwards",
        "Widget._scroll_update": "called: scrollbars follow a size that is set without laying out the screen",
        "WriterThread._queue": "read: what is written to a terminal that is gone is dropped",
        "XTermParser._sequence_to_key_events": "overridden: what is no key ends no thread",
        "Widget._size_updated": "overridden: wraps for another width, and keeps the row being read in its place",
    }
)
"""From class and name to what the studio uses it for."""
