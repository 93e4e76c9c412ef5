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
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine import functions
from engine.blueprint import Point
from engine.functions.tasks import CompileTask, JsError
from engine.rules.checks import check_hooks, hooked_rule, renamed_function
from engine.rules.functions.rewritten_checks import rewritten
from engine.rules.javascript_cache import outcomes_of
from engine.rules.patterns.literal_signs import LiteralSign, is_meant_literally, literal_signs
from engine.rules.rule import Report
from engine.rules.source.pattern_places import INLINE_CASE, Pattern, patterns_of, place_in_source
from engine.rules.source.regex_parser import Concatenation, Literal, invalid_place, parse_regex, parts
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Severity
from engine.text.spans import Span

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
