"""From a line of block YAML up to the root of its document: which lists and keys it stands in."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.completion.lines import Line, is_blank, is_marker, lines_above, lines_below, read_line
from engine.completion.place import ITEM, Step
from engine.parsing.keys import Part, names_read

_PROSE = 3
"""So many lines without a key where keys are expected, and they are a text."""

_TELLING = names_read(Part.PROMPT) ^ names_read(Part.HEADER)
_OF_A_PROMPT = names_read(Part.PROMPT) - names_read(Part.HEADER)


@dataclass(frozen=True, slots=True)
class Above:
    """What a line stands in: the steps from the outside, the keys beside it, and those of the outermost mapping."""

    path: tuple[Step, ...]
    rooted: bool
    first: bool
    siblings: frozenset[str]
    outermost: frozenset[str]


@dataclass(frozen=True, slots=True)
class Within:
    """The line begins within a value that began on `line`, at offset `start`: a text, or a list in brackets."""

    start: int
    line: Line


@dataclass(slots=True)
class _Climb:
    """The way up so far. `column` is where the list or mapping stands whose owner is looked for."""

    column: int
    is_list: bool
    steps: list[Step] = field(default_factory=list[Step])
    siblings: frozenset[str] | None = None
    keys: set[str] = field(default_factory=set[str])
    prose: int = 0

    @property
    def is_told(self) -> bool:
        """Whether it is clear what the way has led through, so that it need not be followed to its end."""
        if not self.steps:
            return False
        if self.steps[-1] is ITEM:
            return len(self.steps) == 1 and self.siblings is not None and not self.siblings.isdisjoint(_OF_A_PROMPT)
        return self.steps[-1] in _TELLING

    def leave(self, line: Line) -> None:
        """Go out over the dashes of `line`, or stay in the mapping that its key stands in."""
        self.steps += [ITEM] * len(line.dashes)
        self.is_list = bool(line.dashes)
        self.column = line.first
        if line.dashes:
            self.enter_mapping()

    def enter_mapping(self) -> None:
        """What is collected from now on are keys of a mapping further out."""
        if self.siblings is None:
            self.siblings = frozenset(self.keys)
        self.keys = set()

    def own(self, line: Line) -> None:
        """`line` holds what the way has come through so far, under its key or behind its dash alone."""
        self.enter_mapping()
        if line.key is not None:
            self.steps.append(line.key)
            self.keys = {line.key}
        self.leave(line)

    def is_past(self, line: Line) -> bool:
        """Take in one line above that is set in no further. Whether the way ends there, within the value of `line`."""
        return self._list(line) if self.is_list else self._mapping(line)

    def _list(self, line: Line) -> bool:
        if self.column in line.dashes:
            outer = line.dashes.index(self.column)
            self.steps += [ITEM] * outer
            self.column = line.first
            return False
        if line.opens and (line.column <= self.column if line.key is not None else line.dashes[-1] < self.column):
            self.own(line)
            return False
        return True

    def _mapping(self, line: Line) -> bool:
        if line.column == self.column:
            if line.key is not None:
                self.keys.add(line.key)
            elif not line.dashes and not line.value.rstrip().endswith(","):
                self.prose += 1
            if line.dashes:
                self.leave(line)
                return line.key is None
            return self.prose > _PROSE
        if line.first == self.column:  # items of a list under a key that is set in no further than they are
            return False
        if line.opens and (line.column < self.column if line.key is not None else line.dashes[-1] < self.column):
            self.own(line)
            return False
        return True


def climb(text: str, start: int, end: int, line: Line) -> Above | Within:
    """What the line from `start` to `end`, read as `line`, stands in."""
    way = _Climb(line.column, is_list=False)
    way.leave(line)
    below = _keys_below(text, end, line.column)
    rooted, at, inset = False, start, ""
    for at, above in lines_above(text, start):
        if len(inset) != way.column + 1:
            inset = " " * (way.column + 1)
        if above.startswith(inset) or is_blank(above):  # set in deeper: it belongs to what stands above it
            continue
        if is_marker(above):
            rooted = True
            break
        read = read_line(above)
        if way.is_past(read):
            return Within(at, read)
        if way.is_told:
            at = -1
            break
    rooted = rooted or at == 0
    return Above(
        tuple(reversed(way.steps)),
        rooted,
        rooted and _is_first(text, at),
        (way.siblings if way.siblings is not None else frozenset(way.keys)) | below,
        frozenset(way.keys) if way.steps else frozenset(way.keys) | below,
    )


def _keys_below(text: str, end: int, column: int) -> frozenset[str]:
    """The keys of the mapping at `column` that stand below the line that ends at `end`."""
    found: set[str] = set()
    inset = " " * (column + 1)
    for below in lines_below(text, end):
        if below.startswith(inset) or is_blank(below):
            continue
        if is_marker(below) or not below.startswith(inset[:-1]):
            break
        read = read_line(below)
        if read.column == column and read.key is not None and not read.dashes:
            found.add(read.key)
    return frozenset(found)


def _is_first(text: str, at: int) -> bool:
    """Whether nothing but comments stands above `at`."""
    return all(is_blank(above) or is_marker(above) for _, above in lines_above(text, at))
