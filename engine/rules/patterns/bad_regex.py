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
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

from engine import functions
from engine.blueprint import FunctionCall, Point, Prompt
from engine.functions.point_function import Quantifier, SearchTraits
from engine.functions.tasks import CompileTask, JsError
from engine.parsing.demands import Kind
from engine.rules.checks import argument_span, check_rule, outcomes_of, renamed
from engine.rules.functions.literal_forms import rewritten
from engine.rules.rule import FileView, Report
from engine.rules.source import regexes
from engine.text import Fix, Record, Severity, Span, lazy

# Special characters of a pattern that were meant literally: `+` in `C++`, `.` in `3.5`, brackets around words.


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


def has_warning(pattern: str) -> bool:
    """Whether `unescaped-literal` reports a warning for `pattern`, so that other rules need not."""
    return any(each.sign != "." for each in literal_signs(pattern))


@lru_cache(maxsize=4096)
def literal_signs(pattern: str) -> tuple[LiteralSign, ...]:
    """All signs in `pattern` that were meant literally, in source order."""
    tree = regexes.parse_regex(pattern)
    if tree is None:
        doubled = _DOUBLED.search(pattern)
        if doubled is None or regexes.parse_regex(pattern[: doubled.start(1)] + pattern[doubled.end(1) :]) is None:
            return ()
        start, end = doubled.span(1)
        return (LiteralSign("+", (Span(start, start + 1), Span(start + 1, end)), Span(*doubled.span()), refused=True),)
    quantified = {part.body.span for part in regexes.parts(tree) if isinstance(part, regexes.Repeat)}
    found = [
        each
        for row in regexes.concatenations(tree)
        for each in _in_row(pattern, row)
        if each.sign != "(" or each.shown not in quantified
    ]
    return tuple(sorted(found, key=lambda each: each.shown))


def _in_row(pattern: str, row: tuple[regexes.Regex, ...]) -> Iterator[LiteralSign]:
    padded = (None, None, *row, None, None)
    for second, before, part, after, third in zip(*(padded[at:] for at in range(5)), strict=False):
        match part:
            case regexes.Repeat(body=regexes.Literal(escaped=False), sign=place) if (sign := place.of(pattern)) in (
                "+",
                "*",
                "?",
            ):
                neighbours = (second, before, after, third)
                if _is_question(pattern, part, before, after) if sign == "?" else _is_sum(part, sign, *neighbours):
                    yield LiteralSign(sign, (place,), _around(part, before, after))
            case regexes.Assertion(kind="$", span=place) if _letter(after).isdigit():
                yield LiteralSign("$", (place,), _around(part, None, after))
            case regexes.Assertion(kind="^", span=place) if _letter(before).isalnum() and _is_alphanumeric(after):
                yield LiteralSign("^", (place,), _around(part, before, after))
            case regexes.Group(opening="(", span=place) if _is_label(part, before, after) and "\\1" not in pattern:
                ends = (Span(place.start, place.start + 1), Span(place.end - 1, place.end))
                yield LiteralSign("(", ends, place)
            case regexes.CharacterClass(span=place) if place.of(pattern) == ".":
                if _letter(before).isdigit() and _letter(after).isdigit():
                    yield LiteralSign(".", (place,), _around(part, before, after))
            case _:
                pass


_Neighbour: TypeAlias = regexes.Regex | None


def _is_sum(
    part: regexes.Repeat, sign: str, second: _Neighbour, before: _Neighbour, after: _Neighbour, third: _Neighbour
) -> bool:
    """Whether the text is a sum such as `x+y` or `2 * 3`, or a mark such as `B+`."""
    letter = _letter(part.body)
    if letter == " ":
        return _is_operand(before, second) and _letter(after) == " " and _is_operand(third, None)
    is_number = letter.isdigit()
    if not letter.isalnum() or not letter.isascii() or not (is_number or not _is_alphanumeric(before)):
        return False
    if _is_alphanumeric(after) and _letter(after).isdigit() == is_number:
        return is_number or not _is_alphanumeric(third)
    is_mark = sign == "+" and letter.isupper() and (before is None or _letter(before) == " ")
    return is_mark and (after is None or _letter(after) == " ")


def _is_operand(part: _Neighbour, before: _Neighbour) -> bool:
    return _letter(part).isdigit() or (_is_alphanumeric(part) and not _is_alphanumeric(before))


def _is_question(pattern: str, part: regexes.Repeat, before: _Neighbour, after: _Neighbour) -> bool:
    """Whether the text is a question: several words that begin with a question word and end with the sign."""
    sentence = re.split(r"[.!?^]\s+|\^", pattern[: part.sign.start])[-1].lstrip()
    ends = after is None or _letter(after) in (" ", '"', "'")
    return ends and " " in sentence and _QUESTION.match(sentence) is not None and _is_alphanumeric(before)


def _is_label(group: regexes.Group, before: _Neighbour, after: _Neighbour) -> bool:
    """Whether the brackets belong to what is looked for, `(A)` or `f(x)`; in `(federal) court` they only group."""
    items = group.body.items if isinstance(group.body, regexes.Concatenation) else (group.body,)
    letters = [_letter(item) for item in items]
    is_alone = not (_letter(before).isalnum() or _letter(after).isalnum())
    return bool(items) and all(letters) and (not is_alone or _LABEL.fullmatch("".join(letters)) is not None)


def _letter(part: _Neighbour) -> str:
    """The character of a literal; "" of any other part."""
    return part.character if isinstance(part, regexes.Literal) else ""


def _is_alphanumeric(part: _Neighbour) -> bool:
    part = part.body if isinstance(part, regexes.Repeat) else part
    return isinstance(part, regexes.Literal) and part.character.isalnum() and not part.escaped


def _around(part: regexes.Regex, before: _Neighbour, after: _Neighbour) -> Span:
    return Span((before or part).span.start, (after or part).span.end)


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    """Plain words for signs of patterns, and for V8's reasons against one."""
    return tomllib.loads(Path(__file__).with_name("signs.toml").read_text("utf-8"))


@check_rule(needs_javascript=True)
def bad_regex(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterator[Report]:
    used = list(regexes.patterns_in(points))
    outcomes = outcomes_of(view.javascript, [CompileTask(pattern.bare, pattern.flags) for pattern in used])
    for pattern, outcome in zip(used, outcomes, strict=True):
        if isinstance(outcome, JsError) and not any(each.refused for each in literal_signs(pattern.bare)):
            reason = outcome.message.rpartition(": ")[2]
            words = _words()["reasons"].get(reason)
            message = f"{words} ({reason})" if words else f"this pattern cannot be read: {reason}"
            yield Report(regexes.place_in_source(view.text, pattern, regexes.invalid_place(pattern.bare)), message)


@check_rule()
def inline_flags(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterator[Report]:
    for point in points:
        bare = {pattern.written: pattern.bare for pattern in regexes.patterns_of(point) if pattern.head}
        fixes = _flag_fixes(view, point, bare) if bare else ()
        for pattern in regexes.patterns_of(point):
            if pattern.head:
                span = regexes.place_in_source(view.text, pattern, Span(-len(regexes.INLINE_CASE), 0))
                yield Report(span, "Weval refuses a pattern that begins with (?i)", flagged=True, fixes=fixes)
                fixes = ()


def _flag_fixes(view: FileView, point: Point, bare: Mapping[str, str]) -> tuple[Fix, ...]:
    if "imatch" in point.call.name:
        return (Fix("remove (?i): case is ignored anyway", True, rewritten(view, point, bare)),)
    twin = functions.find(point.call.name.replace("match", "imatch", 1))
    name = None if twin is None else twin.weval_name
    return () if name is None else (Fix(f"use ${name}", True, rewritten(view, point, bare, name)),)


_PLAIN = {"matches": "contains", "imatches": "icontains"}


@check_rule()
def unescaped_literal(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterable[Report]:
    for pattern in regexes.patterns_in(points):
        meant = literal_signs(pattern.bare)
        for sign in dict.fromkeys(each.sign for each in meant):
            yield _report(view, pattern, [each for each in meant if each.sign == sign])


def _report(view: FileView, pattern: regexes.Pattern, meant: list[LiteralSign]) -> Report:
    first = meant[0]
    shown, place = _whole(pattern.bare, first.shown), first.shown if first.sign == "(" else first.places[0]
    also = f", {len(meant)} times in this pattern" if len(meant) > 1 else ""
    message = f"in a pattern {_words()['meanings'][first.sign]}: the check does not look for “{shown}” literally{also}"
    severity, why = Severity.HINT if first.sign == "." else None, ""
    if first.refused:
        place, severity = Span(first.places[0].start, first.places[-1].end), Severity.ERROR
        message = f"“{shown}” cannot be read: in a pattern, {_words()['meanings']['+']} (Nothing to repeat)"
        why = "The check cannot run: here it counts 0, and Weval leaves it out of the score."
    fixes = tuple(_fixes(view, pattern, meant))
    return Report(regexes.place_in_source(view.text, pattern, place), message, why, severity, fixes=fixes)


def _whole(pattern: str, span: Span) -> str:
    """The whole words of the pattern at `span`."""
    start, end = span.start, span.end
    while start and pattern[start - 1].isalnum():
        start -= 1
    while end < len(pattern) and pattern[end].isalnum():
        end += 1
    return pattern[start:end].strip()


def _fixes(view: FileView, pattern: regexes.Pattern, meant: list[LiteralSign]) -> Iterator[Fix]:
    signs, point = {place.start for each in meant for place in each.places}, pattern.point
    escaped = "".join(f"\\{each}" if at in signs else each for at, each in enumerate(pattern.bare))
    edits = rewritten(view, point, {pattern.written: pattern.head + escaped})
    yield Fix(f"escape it: \\{meant[0].sign}", False, edits)
    plain = _PLAIN.get(point.call.name)
    if not pattern.head and "\\" not in pattern.bare and _is_all_text(escaped):
        yield Fix(f"look for it literally: ${plain}", False, renamed(view, point, plain))


def _is_all_text(escaped: str) -> bool:
    """Whether the whole pattern is literal, once the signs in question are `escaped`."""
    tree = regexes.parse_regex(escaped)
    return tree is not None and all(
        isinstance(part, regexes.Literal | regexes.Concatenation) for part in regexes.parts(tree)
    )


_LETTERS = "aZ4"


_Claim: TypeAlias = tuple[Span, bool, str]
"""The part of a pattern that is the cause, whether the pattern is found in every answer or in none, and the message."""


@lru_cache(maxsize=4096)
def _claim(pattern: str) -> _Claim | None:
    """What a pattern does for every answer."""
    tree = regexes.parse_regex(pattern)
    if not pattern:
        return Span(0, 0), True, "an empty pattern is found in every answer"
    if tree is None:
        return None
    if regexes.need_of(tree) is regexes.Need.NOTHING:
        options = tree.options if isinstance(tree, regexes.Alternation) else ()
        empty = next((each.span.start for each in options if each == regexes.Concatenation(each.span, ())), None)
        if empty is None:
            return tree.span, True, f"every answer matches {pattern}: no part of it is required"
        bar = max(empty - 1, 0)
        message = "one side of this | is empty, and the empty text is found in every answer"
        return Span(bar, bar + 1), True, message
    if _is_any_text(tree):
        return tree.span, True, f"every answer that is not empty matches {pattern}"
    return next(((span, False, message) for span, message in _dead(tree)), None) if _is_dead(tree) else None


def _is_any_text(tree: regexes.Regex) -> bool:
    """Whether it matches any letter, so that every answer in words has a match."""
    part = tree.body if isinstance(tree, regexes.Repeat) and tree.least == 1 else tree
    return isinstance(part, regexes.CharacterClass) and all(map(part.holds, _LETTERS))


def _is_dead(tree: regexes.Regex) -> bool:
    """Whether no text matches."""
    match tree:
        case regexes.CharacterClass(ranges=(), negated=False):
            return True
        case regexes.Group(body=body):
            return regexes.need_of(body) is regexes.Need.NOTHING if tree.opening in ("(?!", "(?<!") else _is_dead(body)
        case regexes.Repeat(body=body, least=least):
            return least > 0 and _is_dead(body)
        case regexes.Alternation(options=options):
            return all(map(_is_dead, options))
        case regexes.Concatenation(items=items):
            return any(map(_is_dead, items)) or any(True for _ in _misplaced(items))
        case _:
            return False


def _dead(tree: regexes.Regex) -> Iterator[tuple[Span, str]]:
    """The parts because of which no text matches, with the reason."""
    for row in regexes.concatenations(tree):
        yield from _misplaced(row)
    for part in regexes.parts(tree):
        if isinstance(part, regexes.CharacterClass | regexes.Group) and _is_dead(part):
            yield part.span, "nothing can match here, so no answer matches"


def _misplaced(row: tuple[regexes.Regex, ...]) -> Iterator[tuple[Span, str]]:
    for at, part in enumerate(row):
        kind, behind = part.kind if isinstance(part, regexes.Assertion) else "", row[at + 1 :]
        if kind == "^" and any(regexes.need_of(each) is regexes.Need.TEXT for each in row[:at]):
            yield part.span, "`^` is the start of the answer, but the pattern needs text before it: no answer matches"
        elif kind == "$" and any(regexes.need_of(each) is regexes.Need.TEXT for each in behind):
            yield part.span, "`$` is the end of the answer, but the pattern needs text after it: no answer matches"
        elif kind == "$" and behind and isinstance(behind[0], regexes.Assertion) and behind[0].kind == "^":
            yield part.span, "the end is before the start: only an empty answer matches"


def _of_patterns(view: FileView, points: Sequence[Point], *, always: bool) -> Iterator[Report]:
    for pattern in regexes.patterns_in(points):
        span, found_always, message = _claim(pattern.bare) or (None, None, "")
        if span is not None and found_always is always and not has_warning(pattern.bare):
            yield Report(regexes.place_in_source(view.text, pattern, span if span.end else None), message)


def _result(call: FunctionCall, search: SearchTraits) -> tuple[bool, str] | None:
    """Whether a check for texts always (True) or never passes, and the reason; None if neither."""
    if search.is_literal and "" in call.texts():
        return True, f"an empty text {'' if call.args == '' else 'in the list '}is found in every answer"
    if call.args == [] and search.quantifier is Quantifier.ANY:
        return False, "the list is empty, so nothing can be found"
    if call.args == [] and search.quantifier is Quantifier.ALL:
        return True, "the list is empty, so nothing is missing from any answer"
    return None


def _reports(view: FileView, points: Sequence[Point], *, always: bool) -> Iterator[Report]:
    yield from _of_patterns(view, points, always=always)
    for point in points:
        search = functions.search_of(point.call)
        result = None if search is None else _result(point.call, search)
        if result is not None and result[0] is always and not view.is_reported(point.span, Kind.FALSY_ARGUMENT_LOST):
            node = point.argument_node("")
            is_written = node is not None and node.span.end > node.span.start
            yield Report(node.span if node is not None and is_written else argument_span(view, point), result[1])


@check_rule()
def never_matches(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterator[Report]:
    return _reports(view, points, always=False)


@check_rule()
def always_matches(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterator[Report]:
    return _reports(view, points, always=True)
