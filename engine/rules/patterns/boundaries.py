r"""# ascii-boundary: Word edge beside a letter outside A–Z

`\b` or `\w` beside a letter that has an accent or is not Latin.

For JavaScript, only the letters a to z, digits and `_` are parts of a word. It sees no word boundary between "é" and a
blank, so `\bcafé\b` never finds "un café noir", but finds "cafés". Every answer in that language loses the point,
right or wrong.

Bad:

    - id: coffee
      prompt: Que boit-elle ?
      should:
        - $matches: '\bcafé\b'

Good:

    - id: coffee
      prompt: Que boit-elle ?
      should:
        - $contains_word: café

Fix (unsafe): `$contains_word`, which knows the letters of every script, if the pattern is one word between `\b`;
otherwise a boundary that knows the accented letters of Latin.

Documents: Blueprint format, Troubleshooting 5; The `should` system, Part 1, Idiomatic Function Call, `$contains_word`.

# one-branch-boundary: Start or end of one alternative only

A `^`, `$` or `\b` that applies to one of several alternatives only, the first or the last: `^yes|no$`, `\byes|no\b`,
`^yes|no`.

The sign `|` separates everything on its left from everything on its right. So `^yes|no$` is met by an answer that
begins with "yes" and goes on as it likes, and by one that ends in "I do not know, no"; `\byes|no\b` finds the "yes" of
"yesterday". A wrong answer earns the point: with two points, half of the score.

Nothing is reported if the other alternatives have a boundary of their own, as in `^yes|\bno`. A boundary on one side
only is reported where all alternatives are single words: `^Dear Sir|Yours faithfully` may be meant.

Bad:

    - id: answer
      prompt: Is Nairobi the capital of Kenya? Answer yes or no.
      should:
        - $imatches: '^yes|no$'

Good:

    - id: answer
      prompt: Is Nairobi the capital of Kenya? Answer yes or no.
      should:
        - $imatches: '^(?:yes|no)$'

Fix (unsafe): a group around the alternatives, with the signs outside.

Documents: Blueprint format, Troubleshooting 5, "Regex Pattern Too Strict".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from engine.blueprint import Point
from engine.rules.checks import check_hooks, hooked_rule
from engine.rules.functions.rewritten_checks import rewritten
from engine.rules.refusals import cut
from engine.rules.rule import Report
from engine.rules.source.pattern_places import Pattern, patterns_of, place_in_source
from engine.rules.source.regex_parser import (
    Alternation,
    Assertion,
    CharacterClass,
    Concatenation,
    Group,
    Literal,
    Regex,
    Repeat,
    concatenations,
    parse_regex,
    parts,
)
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Severity
from engine.text.spans import Span, TextEdit, apply_edits

_WORD_TWINS = {"matches": "contains_word", "imatches": "icontains_word"}
_LATIN = r"[\wÀ-ɏ]"
_WORD_CLASS = r"\w"


@hooked_rule(
    check_hooks,
    "F012",
    Severity.WARNING,
    why="The check does not find the word that it was written for, so every right answer loses the point.",
)
def ascii_boundary(view: FileView, points: Sequence[Point]) -> Iterable[Report]:
    for point in points:
        for pattern in patterns_of(point):
            if pattern.bare.isascii() or "\\" not in pattern.bare or (tree := parse_regex(pattern.bare)) is None:
                continue
            found = list(_ascii_only(pattern.bare, tree))
            if found:
                yield _report(view, point, pattern, tree, found)


def _ascii_only(pattern: str, tree: Regex) -> Iterator[tuple[Span, str, bool]]:
    """Each `\\b` and `\\w` beside a letter that it does not know, the letter, and whether the letter precedes it."""
    for row in concatenations(tree):
        for at, part in enumerate(row):
            is_boundary = isinstance(part, Assertion) and part.kind == "\\b"
            inner = part.body if isinstance(part, Repeat) else part
            if not is_boundary and not (isinstance(inner, CharacterClass) and inner.span.of(pattern) == _WORD_CLASS):
                continue
            before = _letter(row[at - 1], at_end=True) if at else None
            after = _letter(row[at + 1], at_end=False) if at + 1 < len(row) else None
            if letter := before or after:
                yield inner.span, letter, before is not None


def _letter(part: Regex, *, at_end: bool) -> str | None:
    """A letter other than a to z with which `part` may end (or begin); None if there is none."""
    match part:
        case Literal(character=character):
            return character if not character.isascii() and unicodedata.category(character)[0] in "LM" else None
        case CharacterClass(ranges=ranges, negated=False):
            own = [first for first, _ in ranges if not first.isascii() and first.isalpha()]
            return own[0] if own else None
        case Group(body=body) | Repeat(body=body):
            return _letter(body, at_end=at_end)
        case Concatenation(items=items) if items:
            return _letter(items[-1 if at_end else 0], at_end=at_end)
        case Alternation(options=options):
            return next((found for each in options if (found := _letter(each, at_end=at_end))), None)
        case _:
            return None


def _report(view: FileView, point: Point, pattern: Pattern, tree: Regex, found: list[tuple[Span, str, bool]]) -> Report:
    span, letter, is_before = found[0]
    sign = span.of(pattern.bare)
    message = (
        f"`{sign}` does not know “{letter}” as a letter: it sees no boundary {'after' if is_before else 'before'} it"
        if sign == "\\b"
        else f"`{sign}` does not know letters such as “{letter}”: it matches only a to z, digits and _"
    )
    return Report(
        place_in_source(view, point, pattern, span), message, fixes=tuple(_fixes(view, point, pattern, tree, found))
    )


def _fixes(
    view: FileView, point: Point, pattern: Pattern, tree: Regex, found: list[tuple[Span, str, bool]]
) -> Iterator[Fix]:
    word, name = _only_word(tree), None if point.function is None else _WORD_TWINS.get(point.function.name)
    if edits := () if word is None or name is None else rewritten(view, point, {pattern.written: word}, name):
        yield Fix(f"use ${name}", False, edits)
    elif all(span.of(pattern.bare) == "\\b" and "À" <= letter <= "ɏ" for span, letter, _ in found):
        known = (TextEdit(span, f"(?{'!' if is_before else '<!'}{_LATIN})") for span, _, is_before in found)
        if edits := rewritten(view, point, {pattern.written: pattern.head + apply_edits(pattern.bare, known)}):
            yield Fix("a word boundary that knows accented letters", False, edits)


def _only_word(tree: Regex) -> str | None:
    """The word of a pattern that is one word between two `\\b`; None for other patterns."""
    if not isinstance(tree, Concatenation) or len(tree.items) < 3:
        return None
    first, *middle, last = tree.items
    boundaries = [part for part in (first, last) if isinstance(part, Assertion) and part.kind == "\\b"]
    letters = [part.character for part in middle if isinstance(part, Literal)]
    return "".join(letters) if len(boundaries) == 2 and len(letters) == len(middle) else None


@hooked_rule(
    check_hooks,
    "F095",
    Severity.WARNING,
    why="The other alternatives are found anywhere, also within words, so the check is met by other answers.",
)
def one_branch_boundary(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        for pattern in patterns_of(point):
            tree = parse_regex(pattern.bare) if "|" in pattern.bare else None
            for part in () if tree is None else parts(tree):
                if isinstance(part, Alternation) and (inner := _bounded(part.options)) is not None:
                    yield _branch_report(view, point, pattern, part, inner)


def _bounded(options: Sequence[Regex]) -> Span | None:
    """The place of all `options` without the boundaries that only the first or the last one has; None without any."""
    rows = [each.items if isinstance(each, Concatenation) else (each,) for each in options]
    ahead, behind = [_boundaries(row) for row in rows], [_boundaries(row[::-1]) for row in rows]
    first = ahead[0] if ahead[0] < len(rows[0]) and not any((*ahead[1:], behind[0])) else 0
    last = behind[-1] if behind[-1] < len(rows[-1]) and not any((*behind[:-1], ahead[-1])) else 0
    if not (first and last) and not ((first or last) and all(map(_is_word, rows))):
        return None
    return Span(rows[0][first].span.start, rows[-1][-1 - last].span.end)


def _boundaries(row: Iterable[Regex]) -> int:
    """How many parts at the start of `row` match no text."""
    return len([*takewhile(_is_boundary, row)])


def _is_boundary(part: Regex) -> bool:
    return isinstance(part, Assertion) or (isinstance(part, Group) and part.is_lookaround)


def _is_word(row: Iterable[Regex]) -> bool:
    return all(isinstance(part, Assertion) or (isinstance(part, Literal) and part.character.isalnum()) for part in row)


def _branch_report(view: FileView, point: Point, pattern: Pattern, part: Alternation, inner: Span) -> Report:
    text, whole = pattern.bare, part.span
    opening, closing = text[whole.start : inner.start], text[inner.end : whole.end]
    ends = ((opening, part.options[0]), (closing, part.options[-1]))
    told = " and ".join(f"`{sign}` applies to `{cut(option.span.of(text))}` only" for sign, option in ends if sign)
    grouped = f"{opening}(?:{inner.of(text)}){closing}"
    written = f"{pattern.head}{text[: whole.start]}{grouped}{text[whole.end :]}"
    edits = rewritten(view, point, {pattern.written: written})
    return Report(
        place_in_source(view, point, pattern, whole),
        f"{told}: to apply it to all alternatives, write `{cut(grouped)}`",
        fixes=(Fix("group the alternatives", False, edits),) if edits else (),
    )
