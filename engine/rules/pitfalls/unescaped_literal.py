"""# unescaped-literal

A sign that patterns use for themselves, in a text that was meant as it stands: `2+2`, `C++`, `$5`, `(A)`.

In a pattern `+` and `*` repeat what stands before them, `?` makes it optional, `$` is the end of the answer, and
brackets only group. So `2+2` looks for "22" and never finds "2+2": a right answer loses the point, and if it is one of
two, half of the score. A `.` between digits is any character, so `3.14` is found in "3514": that is only a hint.

Bad:

    - id: sum
      prompt: Write the sum of two and two.
      should:
        - $matches: '2+2'

Good:

    - id: sum
      prompt: Write the sum of two and two.
      should:
        - $matches: '2\\+2'

Fix (unsafe): a backslash before the sign; or, where nothing in it is a pattern, the check for a plain text.

Documents: 002, "Troubleshooting", 5, "Regex Pattern Too Strict".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.rules.checks import argument_node, everywhere, renamed
from engine.rules.patterns import Pattern, patterns_of, place_in_source
from engine.rules.regex_tree import (
    Assertion,
    Group,
    Literal,
    OneOf,
    Regex,
    Repeat,
    parts,
    read,
    sequences,
)
from engine.rules.regex_tree import (
    Sequence as Row,
)
from engine.rules.rule import Report, Rule
from engine.rules.source import source_offset
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import Style

_SIGN = re.compile(r"[A-Za-z0-9 ][+*?]|\$\d|\w\^\w|\d\.\d|\((?!\?)[^()|[\]*+?]+\)(?![*+?{])")
"""What has to be somewhere in a pattern for anything to be found: most have none of it."""
_DOUBLED = re.compile(r"(?<![\w\\])(?:[A-Za-z]|[A-Za-z]+pad)(\+\+)(?![\w+*?{])")
_QUESTION = re.compile(
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|would|will|should|shall|may)"
    r"\b",
    re.IGNORECASE,
)
_PLAIN = {"matches": "contains", "imatches": "icontains"}
_WHAT = {
    "+": "`+` repeats what stands before it",
    "*": "`*` repeats what stands before it",
    "?": "`?` makes the letter before it optional",
    "$": "`$` is the end of the answer, behind which nothing can stand",
    "^": "`^` is the start of the answer, before which nothing can stand",
    "(": "brackets only group",
    ".": "`.` is any character",
}


@dataclass(frozen=True, slots=True)
class _Meant:
    """Signs of a pattern that were meant literally: where they stand, and the piece of the pattern to be shown."""

    sign: str
    places: tuple[Span, ...]
    shown: Span
    refused: bool = False


def is_meant_literally(pattern: str) -> bool:
    """Whether the pattern is refused for a sign that was meant literally, as `C++` is: then it is told here."""
    return any(each.refused for each in _meant(pattern))


def is_told_of(pattern: str) -> bool:
    """Whether something in `pattern` is told of here as a warning, and need not be told again for what it does."""
    return any(each.sign != "." for each in _meant(pattern))


@lru_cache(maxsize=4096)
def _meant(pattern: str) -> tuple[_Meant, ...]:
    """Everything in `pattern` that was meant literally, in the order written."""
    if _SIGN.search(pattern) is None:
        return ()
    tree = read(pattern)
    if tree is None:
        doubled = _DOUBLED.search(pattern)
        if doubled is None or read(pattern[: doubled.start(1)] + pattern[doubled.end(1) :]) is None:
            return ()
        start, end = doubled.span(1)
        return (_Meant("+", (Span(start, start + 1), Span(start + 1, end)), Span(*doubled.span()), refused=True),)
    found = [each for row in sequences(tree) for each in _in_row(pattern, row, tree)]
    return tuple(sorted(found, key=lambda each: each.shown))


def _in_row(pattern: str, row: tuple[Regex, ...], tree: Regex) -> Iterator[_Meant]:
    for at, part in enumerate(row):
        before = row[at - 1] if at else None
        after = row[at + 1] if at + 1 < len(row) else None
        match part:
            case Repeat(body=Literal(escaped=False)) if pattern[part.sign.start : part.sign.end] in "+*?":
                sign = pattern[part.sign.start]
                second = row[at - 2] if at > 1 else None
                is_meant = (
                    _is_question(pattern, part, before, after)
                    if sign == "?"
                    else _is_sum(sign, part, second, before, after, row[at + 2] if at + 2 < len(row) else None)
                )
                if is_meant:
                    yield _Meant(sign, (part.sign,), _around(part, before, after))
            case Assertion(kind="$") if _is_a_digit(after):
                yield _Meant("$", (part.span,), _around(part, None, after))
            case Assertion(kind="^") if _is_single(before) and _is_alphanumeric(after):
                yield _Meant("^", (part.span,), _around(part, before, after))
            case Group(opening="(") if _is_plain(part.body) and "\\1" not in pattern:
                yield _Meant("(", (_first(part.span), _last(part.span)), part.span)
            case OneOf() if part.span.of(pattern) == "." and _is_a_digit(before) and _is_a_digit(after):
                yield _Meant(".", (part.span,), _around(part, before, after))
            case _:
                pass


def _is_sum(
    sign: str, part: Repeat, second: Regex | None, before: Regex | None, after: Regex | None, next_but_one: Regex | None
) -> bool:
    """Whether `x+y`, `2 * 3` or a mark such as `B+` was written."""
    body = part.body
    assert isinstance(body, Literal)
    if body.character == " ":
        return _is_operand(before, second) and _is_a(after, " ") and _is_operand(next_but_one, None)
    if not body.character.isalnum() or not body.character.isascii():
        return False
    is_number = body.character.isdigit()
    stands_alone = is_number or not _is_alphanumeric(before)
    if not stands_alone:
        return False
    if _is_alphanumeric(after) and _is_a_digit(after) == is_number:
        return is_number or not _is_alphanumeric(next_but_one)
    is_mark = sign == "+" and body.character.isupper() and (before is None or _is_a(before, " "))
    return is_mark and (after is None or _is_a(after, " "))


def _is_operand(part: Regex | None, before: Regex | None) -> bool:
    return _is_a_digit(part) or (_is_alphanumeric(part) and not _is_alphanumeric(before))


def _is_question(pattern: str, part: Repeat, before: Regex | None, after: Regex | None) -> bool:
    """Whether a question was written out: it begins with the word of one, has several, and ends with the sign."""
    sentence = re.split(r"[.!?^]\s+|\^", pattern[: part.sign.start])[-1].lstrip()
    ends = after is None or (isinstance(after, Literal) and after.character in " \"'")
    return ends and " " in sentence and _QUESTION.match(sentence) is not None and _is_alphanumeric(before)


def _is_plain(body: Regex) -> bool:
    """Whether there is nothing but characters in it: a group of them has no use."""
    items = body.items if isinstance(body, Row) else (body,)
    return bool(items) and all(isinstance(item, Literal) for item in items)


def _is_single(part: Regex | None) -> bool:
    return isinstance(part, Literal) and part.character.isalnum()


def _is_alphanumeric(part: Regex | None) -> bool:
    if isinstance(part, Repeat):
        part = part.body
    return isinstance(part, Literal) and part.character.isalnum() and not part.escaped


def _is_a_digit(part: Regex | None) -> bool:
    return isinstance(part, Literal) and part.character.isdigit()


def _is_a(part: Regex | None, character: str) -> bool:
    return isinstance(part, Literal) and part.character == character


def _around(part: Regex, before: Regex | None, after: Regex | None) -> Span:
    return Span(
        part.span.start if before is None else before.span.start, part.span.end if after is None else after.span.end
    )


def _first(span: Span) -> Span:
    return Span(span.start, span.start + 1)


def _last(span: Span) -> Span:
    return Span(span.end - 1, span.end)


def _check(view: FileView, points: Sequence[Point]) -> Iterable[Report]:
    for point in points:
        for pattern in patterns_of(point):
            meant = _meant(pattern.bare)
            for sign in dict.fromkeys(each.sign for each in meant):
                yield _report(view, point, pattern, [each for each in meant if each.sign == sign])


def _report(view: FileView, point: Point, pattern: Pattern, meant: list[_Meant]) -> Report:
    first = meant[0]
    shown = _whole(pattern.bare, first.shown)
    place = first.shown if first.sign == "(" else first.places[0]
    if first.refused:
        return Report(
            place_in_source(view, point, pattern, Span(first.places[0].start, first.places[-1].end)),
            f"“{shown}” cannot be read: in a pattern `+` repeats what stands before it (Nothing to repeat)",
            why="The check cannot run: here it counts 0, and Weval leaves it out of the score.",
            severity=Severity.ERROR,
            fixes=_fixes(view, point, pattern, meant),
        )
    also = f", {len(meant)} times in this pattern" if len(meant) > 1 else ""
    return Report(
        place_in_source(view, point, pattern, place),
        f"in a pattern {_WHAT[first.sign]}: “{shown}” is not looked for as it stands{also}",
        severity=Severity.HINT if first.sign == "." else None,
        fixes=_fixes(view, point, pattern, meant),
    )


def _whole(pattern: str, span: Span) -> str:
    """The words of the pattern that `span` is in."""
    start, end = span.start, span.end
    while start and pattern[start - 1].isalnum():
        start -= 1
    while end < len(pattern) and pattern[end].isalnum():
        end += 1
    return pattern[start:end].strip()


def _fixes(view: FileView, point: Point, pattern: Pattern, meant: list[_Meant]) -> tuple[Fix, ...]:
    node = argument_node(view, point, pattern.written)
    call = point.function
    if node is None or call is None:
        return ()
    skipped = len(pattern.written) - len(pattern.bare)
    backslash = "\\\\" if node.style is Style.DOUBLE else "\\"
    edits: list[TextEdit] = []
    for place in (place for each in meant for place in each.places):
        at = source_offset(view.text, node, place.start + skipped)
        if at is None:
            return ()
        edits.append(TextEdit(Span(at, at), backslash))
    fixes = [Fix(f"escape it: \\{meant[0].sign}", False, tuple(edits))]
    plain, naming = _PLAIN.get(call.name), None
    if plain is not None and skipped == 0 and _is_all_text(pattern.bare, meant):
        naming = renamed(view, point, plain)
    if naming is not None:
        fixes.append(Fix(f"look for it as it stands: ${plain}", False, (naming,)))
    return tuple(fixes)


def _is_all_text(pattern: str, meant: list[_Meant]) -> bool:
    """Whether nothing of a pattern is left once the signs in question are taken for characters."""
    signs = {place.start for each in meant for place in each.places}
    written = "".join(f"\\{each}" if at in signs else each for at, each in enumerate(pattern))
    tree = read(written)
    return tree is not None and "\\" not in pattern and all(isinstance(part, Literal | Row) for part in parts(tree))


_on_prompt, _on_file = everywhere(_check)

RULES = (
    Rule(
        code="F011",
        slug="unescaped-literal",
        severity=Severity.WARNING,
        why="What was meant is not what is looked for, so a right answer loses the point, or a wrong one gets it.",
        on_prompt=_on_prompt,
        on_file=_on_file,
    ),
)
