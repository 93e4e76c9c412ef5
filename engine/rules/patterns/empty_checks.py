r"""# never-matches: Check that no answer passes

A pattern that no answer can match, such as `a^` or `$^`, or an empty list of which one item must be found.

The check always fails, so every answer loses the point; under `should_not`, and as `$not_…`, every answer earns it.
With two points, that is half of the score for any answer.

Bad:

    - id: list
      prompt: List two rivers of Kenya.
      should:
        - $matches: 'Tana\n^Athi'

Good:

    - id: list
      prompt: List two rivers of Kenya.
      should:
        - $matches: 'Tana\nAthi'

Fix: none.

Documents: Blueprint format, Troubleshooting 5, "Regex Pattern Too Strict".

# always-matches: Check that every answer passes

A pattern that every answer matches, such as `.*` or one that ends in `|`; an empty text or an empty list.

The check always passes, so it raises every score by its share and says nothing; as `$not_…`, it always fails.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $imatches: 'nairobi|'

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $imatches: 'nairobi'

Fix: none.

Documents: Blueprint format, Troubleshooting 5; Blueprint format, Point Definition Formats 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.blueprint import Point
from engine.functions.point_function import Args, Quantifier, SearchTraits
from engine.functions.tasks import JsError, Matches, RegexTask
from engine.parsing.findings import Kind
from engine.rules.checks import argument_span, check_hooks, hooked_rule, searched
from engine.rules.javascript_cache import outcomes_of
from engine.rules.patterns.literal_signs import has_warning
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
    may_be_empty,
    parse_regex,
    parts,
    takes_text,
)
from engine.rules.views import FileView
from engine.text.diagnostics import Severity
from engine.text.record import Record
from engine.text.spans import Span

_ANSWERS = ("Nairobi", "The capital is Nairobi.\n\n1. It lies on a river.\n", "42")
_LETTERS = "aZ"


class _Claim(Record):
    """What a pattern does for every answer, and the part of it that is the cause."""

    span: Span
    always: bool
    message: str


@lru_cache(maxsize=4096)
def _claim(pattern: str) -> _Claim | None:
    if not pattern:
        return _Claim(Span(0, 0), True, "an empty pattern is found in every answer")
    tree = parse_regex(pattern)
    if tree is None:
        return None
    if may_be_empty(tree):
        return _always(pattern, tree)
    if _is_any_text(tree):
        return _Claim(tree.span, True, f"every answer that is not empty matches {pattern}")
    return next((_Claim(span, False, message) for span, message in _dead(tree)), None) if _is_dead(tree) else None


def _always(pattern: str, tree: Regex) -> _Claim:
    empty = (
        [each for each in tree.options if each == Concatenation(each.span, ())] if isinstance(tree, Alternation) else []
    )
    if empty:
        at = empty[0].span.start
        bar = Span(at - 1, at) if at else Span(0, 1)
        return _Claim(bar, True, "one side of this | is empty, and the empty text is found in every answer")
    return _Claim(tree.span, True, f"every answer matches {pattern}: no part of it is required")


def _is_any_text(tree: Regex) -> bool:
    """Whether it matches any letter, so that every answer in words has a match."""
    part = tree.body if isinstance(tree, Repeat) and tree.least == 1 else tree
    return isinstance(part, CharacterClass) and all(map(part.holds, _LETTERS))


def _is_dead(tree: Regex) -> bool:
    """Whether no text matches."""
    match tree:
        case CharacterClass(ranges=(), negated=False):
            return True
        case Group(body=body):
            return (tree.opening == "(?!" and may_be_empty(body)) or (tree.opening != "(?!" and _is_dead(body))
        case Repeat(body=body, least=least):
            return least > 0 and _is_dead(body)
        case Alternation(options=options):
            return all(map(_is_dead, options))
        case Concatenation(items=items):
            return any(map(_is_dead, items)) or any(True for _ in _misplaced(items))
        case _:
            return False


def _dead(tree: Regex) -> Iterator[tuple[Span, str]]:
    """The parts because of which no text matches, with the reason."""
    for row in concatenations(tree):
        yield from _misplaced(row)
    for part in parts(tree):
        if isinstance(part, CharacterClass | Group) and _is_dead(part):
            yield part.span, "nothing can match here, so no answer matches"


def _misplaced(row: tuple[Regex, ...]) -> Iterator[tuple[Span, str]]:
    for at, part in enumerate(row):
        if isinstance(part, Assertion) and part.kind == "^" and any(map(takes_text, row[:at])):
            yield part.span, "`^` is the start of the answer, but the pattern needs text before it: no answer matches"
        elif isinstance(part, Assertion) and part.kind == "$" and any(map(takes_text, row[at + 1 :])):
            yield part.span, "`$` is the end of the answer, but the pattern needs text after it: no answer matches"
        elif isinstance(part, Assertion) and part.kind == "$" and _is_start(row[at + 1 : at + 2]):
            yield part.span, "the end is before the start: only an empty answer matches"


def _is_start(parts: Sequence[Regex]) -> bool:
    return any(isinstance(part, Assertion) and part.kind == "^" for part in parts)


def _of_patterns(view: FileView, points: Sequence[Point], *, always: bool) -> Iterator[Report]:
    for point in points:
        for pattern in patterns_of(point):
            claim = _claim(pattern.bare)
            is_due = claim is not None and claim.always is always and not has_warning(pattern.bare)
            if claim is not None and is_due and _is_confirmed(view, pattern, claim):
                span = place_in_source(view, point, pattern, claim.span if claim.span.end else None)
                yield Report(span, claim.message)


def _is_confirmed(view: FileView, pattern: Pattern, claim: _Claim) -> bool:
    """Whether V8 confirms the claim for some answers and the pattern's own letters; True without V8."""
    tree = parse_regex(pattern.bare)
    own = "" if tree is None else "".join(part.character for part in parts(tree) if isinstance(part, Literal))
    answers = (*_ANSWERS, own) if own else _ANSWERS
    outcomes = outcomes_of(view.javascript, [RegexTask(pattern.bare, pattern.flags, answer, 1) for answer in answers])
    return not any(
        isinstance(outcome, JsError) or (isinstance(outcome, Matches) and bool(outcome.spans) is not claim.always)
        for outcome in outcomes
    )


def _of_texts(view: FileView, points: Sequence[Point], *, always: bool) -> Iterator[Report]:
    for point in points:
        found = searched(point)
        result = None if found is None else _result(found[1], found[0].args)
        if result is not None and result[0] is always and not view.is_reported(point.span, Kind.FALSY_ARGUMENT_LOST):
            yield Report(_argument(view, point), result[1])


def _result(search: SearchTraits, args: Args) -> tuple[bool, str] | None:
    """Whether a check for texts always (True) or never passes, and the reason; None if neither."""
    if search.is_literal and args == "":
        return True, "an empty text is found in every answer"
    if search.is_literal and isinstance(args, list):
        texts = args[1] if len(args) == 2 and isinstance(args[1], list) else args
        if "" in texts:
            return True, "an empty text in the list is found in every answer"
    if args != []:
        return None
    if search.quantifier is Quantifier.ANY:
        return False, "the list is empty, so nothing can be found"
    if search.quantifier is Quantifier.ALL:
        return True, "the list is empty, so nothing is missing from any answer"
    return None


def _argument(view: FileView, point: Point) -> Span:
    node = point.argument_node("")
    if node is not None and node.span.end > node.span.start:
        return node.span
    return argument_span(view, point)


_SAME = "The check gives every answer the same result, so it says nothing about any of them."


def _reports(view: FileView, points: Sequence[Point], *, always: bool) -> Iterator[Report]:
    yield from _of_patterns(view, points, always=always)
    yield from _of_texts(view, points, always=always)


@hooked_rule(check_hooks, "F014", Severity.WARNING, why=_SAME, needs_javascript=True)
def never_matches(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    return _reports(view, points, always=False)


@hooked_rule(check_hooks, "F015", Severity.WARNING, why=_SAME, needs_javascript=True)
def always_matches(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    return _reports(view, points, always=True)
