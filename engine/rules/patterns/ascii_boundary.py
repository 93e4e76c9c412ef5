r"""# ascii-boundary

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
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.rules.checks import check_hooks, renamed_function
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import quoted, source_offset
from engine.rules.source.node_search import argument_node
from engine.rules.source.pattern_places import Pattern, patterns_of, place_in_source
from engine.rules.source.regex_parser import parse_regex
from engine.rules.source.regex_tree import (
    Alternation,
    Assertion,
    CharacterClass,
    Concatenation,
    Group,
    Literal,
    Regex,
    Repeat,
    concatenations,
)
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import Style

_WORD_TWINS = {"matches": "contains_word", "imatches": "icontains_word"}
_LATIN = r"[\wÀ-ɏ]"
_WORD_CLASS = r"\w"


def _check(view: FileView, points: Sequence[Point]) -> Iterable[Report]:
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
    node = argument_node(view.tree, point, pattern.written)
    call = point.function
    if node is None or call is None:
        return
    word, name = _only_word(tree), _WORD_TWINS.get(call.name)
    naming = renamed_function(view, point, name) if word is not None and name is not None else None
    if word is not None and naming is not None:
        yield Fix(f"use ${name}", False, (naming, TextEdit(node.span, quoted(word, is_json=view.is_json))))
    elif all(span.of(pattern.bare) == "\\b" and "À" <= letter <= "ɏ" for span, letter, _ in found):
        edits: list[TextEdit] = []
        for span, _, is_before in found:
            start = source_offset(view.text, node, span.start + len(pattern.written) - len(pattern.bare))
            end = source_offset(view.text, node, span.end + len(pattern.written) - len(pattern.bare))
            if start is None or end is None:
                return
            boundary = f"(?!{_LATIN})" if is_before else f"(?<!{_LATIN})"
            edits.append(
                TextEdit(Span(start, end), boundary.replace("\\", "\\\\") if node.style is Style.DOUBLE else boundary)
            )
        yield Fix("a word boundary that knows accented letters", False, tuple(edits))


def _only_word(tree: Regex) -> str | None:
    """The word of a pattern that is one word between two `\\b`; None for other patterns."""
    if not isinstance(tree, Concatenation) or len(tree.items) < 3:
        return None
    first, *middle, last = tree.items
    boundaries = [part for part in (first, last) if isinstance(part, Assertion) and part.kind == "\\b"]
    letters = [part.character for part in middle if isinstance(part, Literal)]
    return "".join(letters) if len(boundaries) == 2 and len(letters) == len(middle) else None


_on_prompt, _on_file = check_hooks(_check)

RULES = (
    Rule(
        code="F012",
        slug="ascii-boundary",
        title="Word edge beside a letter outside A–Z",
        severity=Severity.WARNING,
        why="The check does not find the word that it was written for, so every right answer loses the point.",
        on_prompt=_on_prompt,
        on_file=_on_file,
    ),
)
