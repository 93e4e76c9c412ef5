"""What a point requires of an answer, in a form in which two points can be compared."""

from __future__ import annotations

import json

from engine import functions
from engine.blueprint import ABSENT, Block, Path, Point
from engine.record import Record


class Requirement(Record):
    """One criterion, and whether an answer should meet it (`wanted`) or should not.

    `name` is a function's documented name without `not_`, empty for a text. `content` is the text in lower case on one
    line, or the argument as JSON. A `$not_` check and its twin under `should_not` are the same requirement.
    """

    name: str
    content: str
    wanted: bool

    @property
    def opposite(self) -> Requirement:
        """The requirement that no answer meets together with this one."""
        return Requirement(self.name, self.content, not self.wanted)


def requirement_of(point: Point, block: Block) -> Requirement:
    """What `point` requires in `block`."""
    wanted = not block.inverted
    if point.function is None:
        return Requirement("", plain(point.text or ""), wanted)
    function = functions.find(point.function.name)
    args = point.function.args
    content = "" if args is ABSENT else json.dumps(args, sort_keys=True, default=str)
    if function is None:
        return Requirement(point.function.name, content, wanted)
    if function.negates is not None:
        return Requirement(function.negates, content, not wanted)
    return Requirement(function.name, content, wanted)


def requirements_of(path: Path, block: Block) -> frozenset[Requirement]:
    """What the points of a path require."""
    return frozenset(requirement_of(point, block) for point in path.points)


def plain(text: str) -> str:
    """`text` in the form in which two criteria are compared: in lower case, on one line, without its full stop."""
    line = " ".join(text.split()) if "  " in text or "\n" in text or "\t" in text else text.strip()
    return line.rstrip(".").casefold()
