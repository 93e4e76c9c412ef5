"""Seeded rubrics typed key by key, by authors who know what each key is said to do and look where the cursor is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from engine.completion import Known, complete
from studio.tui.editor import BlueprintEditor
from tests.conservation.hands import LETTER, Work, judged, laid_out, opened

_ROW = re.compile(r"( *)((?:- )*)(.*)")
_CALL = re.compile(r"(\$\w+): (['\"])(.*)\2")
_ANYWHERE = 1000
_MOST_KEYS = 8


@dataclass(frozen=True, slots=True)
class Row:
    """One line that an author thinks of: the column of its first sign, its dashes, its text with its wraps joined."""

    column: int
    dashes: int
    text: str
    is_block: bool

    @property
    def begins(self) -> int:
        """The column of its text."""
        return self.column + 2 * self.dashes

    def columns(self, first: int) -> dict[tuple[int, bool], int]:
        """Where its lists and its mapping are if it begins at column `first`, by where they are meant to be."""
        lists = {(self.column + 2 * at, True): first + 2 * at for at in range(self.dashes)}
        return lists if self.is_block else lists | {(self.begins, False): first + 2 * self.dashes}


def typed(rng: Random) -> Work:
    """One blueprint, or its end, typed and judged."""
    lines = [line for line in laid_out(rng)[0] if line.strip()]
    rows = list(_rows(lines))
    start = rng.choice((1, rows.index(next(row for row in rows if row.text == "should:")) + 1))
    before = "\n".join(_written(row) for row in rows[:start])
    typist = Typist(rng, opened(before, len(before)))
    for row in rows[:start]:
        typist.columns |= row.columns(row.column)
    slipping = [at for at in range(start, len(rows)) if not rows[at].is_block and not rows[at].text.endswith(": |")]
    slip_at = rng.choice(slipping) if rng.random() < 0.6 else -1
    for at in range(start, len(rows)):
        typist.row(rows[at], is_slipping=at == slip_at)
    text = typist.editor.text_out()
    work = Work(
        tuple(typist.how) or ("no slip",), before + "¦", " ".join(typist.words), text, ("\n".join(lines) + "\n",)
    )
    return judged(work, LETTER)


def _rows(lines: list[str]) -> Iterator[Row]:
    found: list[Row] = []
    block = -1
    for line in lines:
        match = _ROW.fullmatch(line)
        assert match is not None
        column, dashes, text = len(match[1]), len(match[2]) // 2, match[3]
        is_block = column > block >= 0
        block = block if is_block else column + 2 * dashes if text.endswith(": |") else -1
        goes_on = found and not is_block and not dashes and not re.match(r"(?:[a-z_]+:|---)", text)
        if goes_on:
            found[-1] = Row(found[-1].column, found[-1].dashes, f"{found[-1].text} {text}", False)
        else:
            found.append(Row(column, dashes, text, is_block))
    yield from found


def _written(row: Row) -> str:
    return " " * row.column + "- " * row.dashes + row.text


class Typist:
    """The hands at the keys. `how` are the slips that they made."""

    def __init__(self, rng: Random, editor: BlueprintEditor) -> None:
        self.rng = rng
        self.editor = editor
        self.columns = {(0, False): 0}
        self.how: list[str] = []
        self.words: list[str] = []
        self.dashes_typed = rng.random()
        self.back = rng.choice(("enter", "backspace", "outdent"))
        self.completes = rng.random() < 0.6
        self.wraps = rng.random() < 0.3

    # --- Keys

    def press(self, key: str) -> None:
        """A key by its name."""
        action = {
            "enter": self.editor.action_new_line,
            "backspace": self.editor.action_delete_left,
            "outdent": self.editor.action_outdent,
            "tab": self.editor.action_indent,
            "undo": self.editor.action_undo,
            "end": self.editor.action_cursor_line_end,
            "home": self.editor.action_cursor_line_start,
            "word left": self.editor.action_cursor_word_left,
        }[key]
        action()

    def type(self, text: str) -> None:
        """Letters."""
        self.editor.type_text(text)

    # --- What an author sees

    @property
    def before(self) -> str:
        """The line before the cursor."""
        row, column = self.editor.cursor_location
        return self.editor.document[row][:column]

    @property
    def dashes(self) -> int:
        """How many dashes stand before the cursor."""
        return self.before.count("-")

    # --- Rows

    def row(self, row: Row, *, is_slipping: bool) -> None:
        """Begin a line below, and type `row` there, with a slip in or behind it."""
        self.press("enter")
        self._find(row)
        self.columns = {meant: column for meant, column in self.columns.items() if meant < (row.column, True)}
        self.columns |= row.columns(self._dash_column())
        self.words.append(row.text)
        if is_slipping:
            self.how.append(self.rng.choice([*SLIPS, *IN_TEXT]))
        if self.how and is_slipping and self.how[-1] in IN_TEXT:
            self.type(IN_TEXT[self.how[-1]](row.text))
        else:
            self._text(row)
            if is_slipping:
                SLIPS[self.how[-1]](self)

    def _find(self, row: Row) -> None:
        """Bring the cursor to where `row` belongs, by the keys that the pages of the editor name."""
        if row.is_block or row.text == "---":
            return
        has_typed = False
        wanted = self.columns.get((row.column, bool(row.dashes)), _ANYWHERE)
        for _ in range(_MOST_KEYS):
            is_in = self._dash_column() > wanted
            if not row.dashes:
                if not self.dashes and not is_in:
                    return
                self.press(self._out())
            elif not self.dashes:
                self.type("- " if is_in or row.dashes == 1 else "- - ")
                has_typed = True
            elif is_in or self.dashes > row.dashes:
                self.press("enter")
                has_typed = False
            elif self.dashes < row.dashes:
                self.type("- " if has_typed else "- - ")
            else:
                if row.dashes == 1 and not has_typed and self.rng.random() < self.dashes_typed:
                    self.type("- ")
                return

    def _out(self) -> str:
        if self.dashes:
            return "enter" if self.back == "enter" else "backspace"
        return "outdent" if self.back == "outdent" else "backspace"

    def _dash_column(self) -> int:
        """The column of the first dash before the cursor, or of the cursor."""
        at = self.before.find("-")
        return at if at >= 0 else len(self.before)

    def _text(self, row: Row) -> None:
        call = _CALL.fullmatch(row.text)
        if call and self.completes and self._complete(call[1]):
            self.type(call[3].replace("''", "'"))
            for key in self.rng.choice(((), ("tab",), ("end",))):
                self.press(key)
            return
        self.type(row.text.removeprefix(self.before.strip(" -")))
        words = row.text.split(" ")
        if self.wraps and len(words) > 6 and not row.is_block and self.rng.random() < 0.5:
            for _ in range(self.rng.randint(2, 4)):
                self.press("word left")
            if self.before.endswith(" "):
                self.press("enter")
            self.press("end")

    def _complete(self, name: str) -> bool:
        """Take the completion of a function; False if there is none."""
        self.type(name[: max(4, len(name) - 3)])
        editor = self.editor
        found = complete(editor.text_out(), editor.cursor_offset, Known())
        chosen = next((each for each in found.candidates if each.label == name), None) if found else None
        if found is None or chosen is None or "''" not in chosen.text:
            return False
        editor.completing.write_candidate(found, chosen)
        return True


def _keys(*keys: str) -> Callable[[Typist], None]:
    def press(typist: Typist) -> None:
        for key in keys:
            if key.isalpha() and len(key) > 1 and key in _NAMES:
                typist.press(key)
            else:
                typist.type(key)

    return press


_NAMES = frozenset(["enter", "backspace", "outdent", "tab", "undo", "home"])
SLIPS: dict[str, Callable[[Typist], None]] = {
    "blank behind": _keys(" "),
    "Tab too many": _keys("tab"),
    "Enter too many": _keys("enter"),
    "Enter and back": _keys("enter", "backspace"),
    "Enter and out": _keys("enter", "outdent"),
    "Enter twice and back": _keys("enter", "enter", "backspace"),
    "a point and undo": _keys("enter", "Names a slip", "undo"),
    "Home": _keys("home"),
    "Home and a dash": _keys("home", "- "),
    "a quote behind": _keys("'"),
    "a double quote behind": _keys('"'),
    "a closing bracket": _keys("]"),
    "a colon behind": _keys(":"),
    "a dash without a space": _keys("enter", "-"),
    "a bullet": _keys("enter", "* "),
    "a lone dash": _keys("enter", "- "),
    "a comment": _keys("enter", "# to be asked"),
    "OR": _keys("enter", "OR"),
    "a key": _keys("enter", "should_not:"),
    "deeper": _keys("enter", "tab", "tab"),
}


def _unquoted(text: str) -> str:
    return re.sub("(['\"])$", "", text)


IN_TEXT: dict[str, Callable[[str], str]] = {
    "quote not opened": lambda text: re.sub(r"(^|: )['\"]", r"\1", text),
    "quote not closed": lambda text: _unquoted(text) if text[-1] in "'\"" else re.sub(r"^((?:\S+: )?)", r'\1"', text),
    "quote closed twice": lambda text: text + (text[-1] if text[-1] in "'\"" else "'"),
    "no blank behind the colon": lambda text: text.replace(": ", ":", 1),
    "two colons": lambda text: text.replace(" ", ": ", 1),
    "a bullet before": lambda text: f"* {text}",
    "a number before": lambda text: f"1. {text}",
    "a sign before": lambda text: f"> {text}",
    "a bracket before": lambda text: f"[{text}",
    "a comment within": lambda text: re.sub(r" (\w+)$", r" #\1", text),
}
