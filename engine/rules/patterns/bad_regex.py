r"""# bad-regex: Pattern that JavaScript refuses

A pattern that JavaScript cannot read, such as one with a bracket that is never closed.

The check cannot run. It counts 0 here, and Weval leaves it out of the score. Patterns are JavaScript's: syntax of other
languages, such as `(?P<name>…)` or `[[:alpha:]]`, may be an error or mean something else.

Bad:

    - id: sum
      prompt: What is two and two?
      should:
        - $matches: 'four|(4'

Good:

    - id: sum
      prompt: What is two and two?
      should:
        - $matches: 'four|(4)'

Fix: none.

Documents: Blueprint format, Troubleshooting 5, "Regex Pattern Too Strict".

# inline-flags: Flags inside a pattern

A pattern that begins with `(?i)`.

The documents show it, and it works here as they describe. JavaScript, and so Weval, refuses the pattern: the check
never runs there, and if it is the only one of its block, the block has no effect.

Bad:

    - id: advice
      prompt: Should I sell my shares?
      should_not:
        - $matches: "(?i)not a (financial|tax) advisor"

Good:

    - id: advice
      prompt: Should I sell my shares?
      should_not:
        - $imatches: "not a (financial|tax) advisor"

Fix (safe): the check of the same name with an `i`, which ignores case.

Documents: Blueprint format, Sequential multi-turn, `(?i)`.

# unescaped-literal: Special character that is meant as itself

A special character of patterns in a text that was meant literally: `2+2`, `C++`, `$5`, `(A)`.

In a pattern, `+` and `*` repeat what is before them, `?` makes it optional, `$` is the end of the answer, and brackets
only group. So `2+2` looks for "22" and never finds "2+2": a right answer loses the point; with two points, half of the
score. A `.` between digits is any character, so `3.14` is found in "3514"; that is only a hint.

Signs that work as signs are fine: a group or class with a quantifier, `( day)?`, `[0-9]+`, and brackets that only
group, `(federal) court`.

Bad:

    - id: sum
      prompt: Write the sum of two and two.
      should:
        - $matches: '2+2'

Good:

    - id: sum
      prompt: Write the sum of two and two.
      should:
        - $matches: '2\+2'

Fix (unsafe): a backslash before the sign; or, if the whole pattern is literal, the check for plain text.

Documents: Blueprint format, Troubleshooting 5, "Regex Pattern Too Strict".

# never-matches: Check that no answer passes

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

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from engine import functions
from engine.blueprint import Point
from engine.functions.point_function import Args, Quantifier, SearchTraits
from engine.functions.tasks import CompileTask, JsError, Matches, RegexTask
from engine.parsing.findings import Kind
from engine.rules.checks import argument_span, check_hooks, hooked_rule, renamed_function, searched
from engine.rules.functions.literal_forms import rewritten
from engine.rules.javascript_cache import outcomes_of
from engine.rules.rule import Report
from engine.rules.source.regexes import (
    INLINE_CASE,
    Alternation,
    Assertion,
    CharacterClass,
    Concatenation,
    Group,
    Literal,
    Pattern,
    Regex,
    Repeat,
    concatenations,
    invalid_place,
    may_be_empty,
    parse_regex,
    parts,
    patterns_of,
    place_in_source,
    takes_text,
)
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span

# Special characters of a pattern that were meant literally: `+` in `C++`, `.` in `3.5`, brackets around words.


_SIGN = lazy(r"[A-Za-z0-9 ][+*?]|\$\d|\w\^\w|\d\.\d|\((?!\?)[^()|[\]*+?]+\)(?![*+?{])")
"""A quick filter: a pattern without a match has no sign that was meant literally."""
_DOUBLED = lazy(r"(?<![\w\\])(?:[A-Za-z]|[A-Za-z]+pad)(\+\+)(?![\w+*?{])")
_QUESTION = lazy(
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|would|will|should|shall|may)"
    r"\b",
    re.IGNORECASE,
)


_LABEL = lazy(r"\w|\d+|[A-Z]{2,4}|[ivx]{2,4}")
"""What is a label in brackets: `(A)`, `(12)`, `(iv)`. A longer group without alternatives only groups."""


class LiteralSign(Record):
    """Signs of a pattern that were meant literally: their places, and the part of the pattern to show.

    `refused` says that the pattern is invalid because of them.
    """

    sign: str
    places: tuple[Span, ...]
    shown: Span
    refused: bool = False


def is_meant_literally(pattern: str) -> bool:
    """Whether a sign that was meant literally makes the pattern invalid, as in `C++`."""
    return any(each.refused for each in literal_signs(pattern))


def has_warning(pattern: str) -> bool:
    """Whether `unescaped-literal` reports a warning for `pattern`, so that other rules need not."""
    return any(each.sign != "." for each in literal_signs(pattern))


@lru_cache(maxsize=4096)
def literal_signs(pattern: str) -> tuple[LiteralSign, ...]:
    """All signs in `pattern` that were meant literally, in source order."""
    if _SIGN.search(pattern) is None:
        return ()
    tree = parse_regex(pattern)
    if tree is None:
        doubled = _DOUBLED.search(pattern)
        if doubled is None or parse_regex(pattern[: doubled.start(1)] + pattern[doubled.end(1) :]) is None:
            return ()
        start, end = doubled.span(1)
        return (LiteralSign("+", (Span(start, start + 1), Span(start + 1, end)), Span(*doubled.span()), refused=True),)
    quantified = {part.body.span for part in parts(tree) if isinstance(part, Repeat)}
    found = [
        each
        for row in concatenations(tree)
        for each in _in_row(pattern, row)
        if each.sign != "(" or each.shown not in quantified
    ]
    return tuple(sorted(found, key=lambda each: each.shown))


def _in_row(pattern: str, row: tuple[Regex, ...]) -> Iterator[LiteralSign]:
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
                    yield LiteralSign(sign, (part.sign,), _around(part, before, after))
            case Assertion(kind="$") if _is_a_digit(after):
                yield LiteralSign("$", (part.span,), _around(part, None, after))
            case Assertion(kind="^") if _is_single(before) and _is_alphanumeric(after):
                yield LiteralSign("^", (part.span,), _around(part, before, after))
            case Group(opening="(") if _is_label(part, before, after) and "\\1" not in pattern:
                yield LiteralSign("(", (_first(part.span), _last(part.span)), part.span)
            case CharacterClass() if part.span.of(pattern) == "." and _is_a_digit(before) and _is_a_digit(after):
                yield LiteralSign(".", (part.span,), _around(part, before, after))
            case _:
                pass


def _is_sum(
    sign: str, part: Repeat, second: Regex | None, before: Regex | None, after: Regex | None, next_but_one: Regex | None
) -> bool:
    """Whether the text is a sum such as `x+y` or `2 * 3`, or a mark such as `B+`."""
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
    """Whether the text is a question: several words that begin with a question word and end with the sign."""
    sentence = re.split(r"[.!?^]\s+|\^", pattern[: part.sign.start])[-1].lstrip()
    ends = after is None or (isinstance(after, Literal) and after.character in " \"'")
    return ends and " " in sentence and _QUESTION.match(sentence) is not None and _is_alphanumeric(before)


def _is_label(group: Group, before: Regex | None, after: Regex | None) -> bool:
    """Whether the brackets belong to what is looked for, `(A)` or `f(x)`; in `(federal) court` they only group."""
    body = group.body
    items = body.items if isinstance(body, Concatenation) else (body,)
    letters = [item.character for item in items if isinstance(item, Literal)]
    if not items or len(letters) < len(items):
        return False
    return _is_single(before) or _is_single(after) or _LABEL.fullmatch("".join(letters)) is not None


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


_PLAIN_WORDS = {
    "Unterminated group": "a ( is never closed",
    "Unmatched ')'": "this ) closes nothing",
    "Unterminated character class": "a [ is never closed",
    "Nothing to repeat": "there is nothing before this to repeat",
    "Invalid group": "JavaScript has no group that begins like this",
    "\\ at end of pattern": "a \\ at the very end escapes nothing",
    "Range out of order in character class": "this range is backwards",
    "numbers out of order in {} quantifier": "these numbers are backwards",
    "Invalid capture group name": "the name of a group may contain only letters, digits and _",
    "Invalid named reference": "this needs the name of a group",
    "Invalid named capture referenced": "this refers to a group that does not exist",
    "Duplicate capture group name": "two groups have the same name",
    "Lone quantifier brackets": "this { or } repeats nothing",
}


@hooked_rule(
    check_hooks,
    "F003",
    Severity.ERROR,
    why="The check cannot run: here it counts 0, and Weval leaves it out of the score.",
    needs_javascript=True,
)
def bad_regex(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    used = [(point, pattern) for point in points for pattern in patterns_of(point)]
    outcomes = outcomes_of(view.javascript, [CompileTask(pattern.bare, pattern.flags) for _, pattern in used])
    for (point, pattern), outcome in zip(used, outcomes, strict=True):
        if isinstance(outcome, JsError) and not is_meant_literally(pattern.bare):
            reason = outcome.message.rpartition(": ")[2]
            words = _PLAIN_WORDS.get(reason)
            message = f"{words} ({reason})" if words else f"this pattern cannot be read: {reason}"
            yield Report(place_in_source(view, point, pattern, invalid_place(pattern.bare)), message)


@hooked_rule(
    check_hooks, "F010", Severity.WARNING, why="Weval never runs the check and leaves the point out of the score."
)
def inline_flags(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        patterns = list(patterns_of(point))
        if not any(pattern.head for pattern in patterns):
            continue
        fixes = _flag_fixes(view, point, patterns)
        for pattern in patterns:
            if pattern.head:
                span = place_in_source(view, point, pattern, Span(-len(INLINE_CASE), 0))
                yield Report(span, "Weval refuses a pattern that begins with (?i)", flagged=True, fixes=fixes)
                fixes = ()


def _flag_fixes(view: FileView, point: Point, patterns: list[Pattern]) -> tuple[Fix, ...]:
    call = point.function
    assert call is not None
    bare = {pattern.written: pattern.bare for pattern in patterns if pattern.head}
    if "imatch" in call.name:
        edits, title = rewritten(view, point, bare), "remove (?i): case is ignored anyway"
    else:
        twin = functions.find(call.name.replace("match", "imatch", 1))
        name = None if twin is None else twin.weval_name
        edits, title = () if name is None else rewritten(view, point, bare, name), f"use ${name}"
    return (Fix(title, True, edits),) if edits else ()


_PLAIN = {"matches": "contains", "imatches": "icontains"}
_MEANINGS = {
    "+": "`+` repeats what is before it",
    "*": "`*` repeats what is before it",
    "?": "`?` makes the letter before it optional",
    "$": "`$` is the end of the answer, and nothing can follow it",
    "^": "`^` is the start of the answer, and nothing can precede it",
    "(": "brackets only group",
    ".": "`.` is any character",
}


@hooked_rule(
    check_hooks,
    "F011",
    Severity.WARNING,
    why="The check looks for something else, so a right answer loses the point, or a wrong one earns it.",
)
def unescaped_literal(view: FileView, points: Sequence[Point]) -> Iterable[Report]:
    for point in points:
        for pattern in patterns_of(point):
            meant = literal_signs(pattern.bare)
            for sign in dict.fromkeys(each.sign for each in meant):
                yield _report(view, point, pattern, [each for each in meant if each.sign == sign])


def _report(view: FileView, point: Point, pattern: Pattern, meant: list[LiteralSign]) -> Report:
    first = meant[0]
    shown = _whole(pattern.bare, first.shown)
    place = first.shown if first.sign == "(" else first.places[0]
    if first.refused:
        return Report(
            place_in_source(view, point, pattern, Span(first.places[0].start, first.places[-1].end)),
            f"“{shown}” cannot be read: in a pattern, `+` repeats what is before it (Nothing to repeat)",
            why="The check cannot run: here it counts 0, and Weval leaves it out of the score.",
            severity=Severity.ERROR,
            fixes=tuple(_fixes(view, point, pattern, meant)),
        )
    also = f", {len(meant)} times in this pattern" if len(meant) > 1 else ""
    return Report(
        place_in_source(view, point, pattern, place),
        f"in a pattern {_MEANINGS[first.sign]}: the check does not look for “{shown}” literally{also}",
        severity=Severity.HINT if first.sign == "." else None,
        fixes=tuple(_fixes(view, point, pattern, meant)),
    )


def _whole(pattern: str, span: Span) -> str:
    """The whole words of the pattern at `span`."""
    start, end = span.start, span.end
    while start and pattern[start - 1].isalnum():
        start -= 1
    while end < len(pattern) and pattern[end].isalnum():
        end += 1
    return pattern[start:end].strip()


def _fixes(view: FileView, point: Point, pattern: Pattern, meant: list[LiteralSign]) -> Iterator[Fix]:
    signs = {place.start for each in meant for place in each.places}
    escaped = "".join(f"\\{each}" if at in signs else each for at, each in enumerate(pattern.bare))
    if edits := rewritten(view, point, {pattern.written: pattern.head + escaped}):
        yield Fix(f"escape it: \\{meant[0].sign}", False, edits)
    plain = None if point.function is None else _PLAIN.get(point.function.name)
    naming = None if plain is None or pattern.head else renamed_function(view, point, plain)
    if naming is not None and "\\" not in pattern.bare and _is_all_text(escaped):
        yield Fix(f"look for it literally: ${plain}", False, (naming,))


def _is_all_text(escaped: str) -> bool:
    """Whether the whole pattern is literal, once the signs in question are `escaped`."""
    tree = parse_regex(escaped)
    return tree is not None and all(isinstance(part, Literal | Concatenation) for part in parts(tree))


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
