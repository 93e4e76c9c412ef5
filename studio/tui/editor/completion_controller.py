"""When the list of completions opens and closes, and what accepting one writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events
from textual.geometry import Offset, Size

from engine.text.patterns import lazy
from engine.text.record import replace

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.completion import Candidate, Completions, Known
    from studio.tui.editor.blueprint_editor import BlueprintEditor
    from studio.tui.editor.completion_popup import CompletionPopup

_IS_FUNCTION = lazy(r"""(?:^|[\s\[{,"'])\$\w*$|\bfn["']?\s*:\s*["']?\w+$""")
"""How the text before the cursor ends where a function's name is being typed."""

_CLOSING = lazy(r"""["'\]} ]*(?:, )?""")
"""What Tab jumps over behind a written argument."""

_REACH = 100
_TYPING = frozenset(("backspace", "delete", "ctrl+h"))


class CompletionController:
    """The completions of one editor. The screen sets `header` and `collections`, which hold the names to complete.

    Between a key and its echo this only checks whether the list is open. Candidates are searched once the edit is on
    the screen, and only if the list is open or a function's name is being typed.
    """

    def __init__(self, editor: BlueprintEditor) -> None:
        self.header: Header | None = None
        self.collections: tuple[str, ...] = ()
        self._editor = editor
        self._popup: CompletionPopup | None = None
        self._found: Completions | None = None
        self._revision = -1
        self._offset = -1
        self._is_requested = False
        self._moved = False
        self._typed = False
        self._room = (0, Size())
        self._behind = (0, -1, "")

    @property
    def is_open(self) -> bool:
        """Whether the list is on the screen."""
        return self._found is not None

    # --- Keys

    def typing(self) -> None:
        """Letters are being typed that the list leaves to the editor."""
        self._typed = True

    def take(self, event: events.Key) -> bool:
        """Handle a key for the list. Returns whether it was handled; the editor handles other keys as usual."""
        self._typed = event.is_printable or event.key in _TYPING
        popup = self._popup
        if self._found is None or popup is None:
            return False
        match event.key:
            case "up" | "down" | "pageup" | "pagedown":
                by = popup.page if event.key.startswith("page") else 1
                popup.move(by if event.key.endswith("down") else -by)
                self._moved = True
            case "escape":
                self.close()
            case "tab":
                return self._accept()
            case "enter":
                return self._accept(only_if_meant=True)
            case _:
                if not self._typed:
                    self.close()
                return False
        return True

    # --- Opening and closing

    def ask(self) -> None:
        """Open the list, or notify the author that there is nothing to complete."""
        if self._editor.read_only:
            return
        self.close()
        self._is_requested = True
        if not self._seek():
            self._editor.notify("There is nothing to complete here.", timeout=3, markup=False)

    def edited(self) -> None:
        """The text was edited, and is painted."""
        typed, self._typed = self._typed, False
        if self._found is None and not (typed and self._is_function()):
            return
        if self._editor.read_only or not self._editor.selection.is_empty or not self._editor.has_focus:
            self.close()
            return
        self._seek()

    def cursor_moved(self) -> None:
        """Close the list when the cursor leaves it; `edited` handles a move that belongs to an edit."""
        if self._found is not None and self._editor.revision == self._revision and not self._is_fresh():
            self.close()

    def resized(self) -> None:
        """The editor has another size. The list follows its word; where lines are wrapped anew, it closes."""
        if self._found is None:
            return
        if self._room == (self._editor.size.width, self._editor.screen.size):
            self._editor.call_after_refresh(self._follow)
        else:
            self.close()

    def _follow(self) -> None:
        found, chosen = self._found, self._chosen()
        if found is not None and chosen is not None and self._is_fresh():
            self._show(found, found.candidates.index(chosen))

    def close(self) -> None:
        """Close the list."""
        self._is_requested = self._moved = False
        if self._found is not None:
            self._found = None
            if self._popup is not None:
                self._popup.hide()

    def _is_function(self) -> bool:
        row, column = self._editor.cursor_location
        return _IS_FUNCTION.search(self._editor.document[row][max(0, column - _REACH) : column]) is not None

    def _is_fresh(self) -> bool:
        return (self._editor.revision, self._editor.cursor_offset) == (self._revision, self._offset)

    def _seek(self, *, keep: bool = False) -> bool:
        """Search and show the candidates; `keep` keeps the selected one. Returns whether there are any."""
        from engine.completion import complete

        editor = self._editor
        chosen = self._chosen()
        found = complete(editor.text_out(), editor.cursor_offset, self._known())
        if found is None or not (self._is_requested or found.opens_itself):
            self.close()
            return False
        self._found, self._revision, self._offset = found, editor.revision, editor.cursor_offset
        self._moved = self._moved and keep
        labels = [each.label for each in found.candidates]
        selected = labels.index(chosen.label) if self._moved and chosen is not None and chosen.label in labels else 0
        self._show(found, selected)
        return True

    def _known(self) -> Known:
        from engine.completion import Known
        from engine.completion.completion_candidates import names_in

        return replace(names_in(self.header) if self.header else Known(), collections=self.collections)

    def _show(self, found: Completions, selected: int) -> None:
        from studio.tui.editor.completion_popup import CompletionPopup

        editor = self._editor
        self._room = (editor.size.width, editor.screen.size)
        if self._popup is None or self._popup.screen is not editor.screen:
            self._popup = CompletionPopup(self._accept)
            editor.screen.mount(self._popup)
        cursor = editor.cursor_screen_offset
        word = Offset(cursor.x - cell_len(found.typed), cursor.y)
        self._popup.show(found.candidates, word, editor.screen.size, selected)

    def _chosen(self) -> Candidate | None:
        return self._popup.candidate if self._found is not None and self._popup is not None else None

    # --- Taking

    def _accept(self, *, only_if_meant: bool = False) -> bool:
        """Write the selected candidate; `only_if_meant` if the author selected it, or typed a part of it."""
        if not self._is_fresh() and not self._seek(keep=True):
            return False
        found, chosen = self._found, self._chosen()
        if found is None or chosen is None:
            return False
        is_typed = chosen.label != found.typed and (self._is_requested or found.typed.strip("$") != "")
        is_meant = self._moved or is_typed or not only_if_meant
        self.close()
        if is_meant:
            self.write_candidate(found, chosen)
        return is_meant

    def write_candidate(self, found: Completions, chosen: Candidate) -> None:
        """Write `chosen`, and remember what Tab jumps over behind the cursor."""
        self._editor.write(found.span, chosen.text, chosen.cursor)
        rest = chosen.text[chosen.cursor :].partition("\n")[0]
        self._behind = (self._editor.cursor_offset + len(rest), self._editor.revision, rest)

    def leave(self) -> bool:
        """Move the cursor out of the quotes that a candidate brought, or to its next argument. Returns whether it did.

        Only from the end of what was typed in there since.
        """
        editor, (end, revision, rest) = self._editor, self._behind
        closing = _CLOSING.match(rest)
        here, now = editor.cursor_offset, editor.carry(end, revision)
        if not closing or not closing.end() or not editor.selection.is_empty or now != here + len(rest):
            return False
        if editor.document.slice(here, now) != rest:
            return False
        self._behind = (now, editor.revision, rest[closing.end() :])
        editor.move_cursor(editor.location_of(here + closing.end()))
        return True
