"""# bad-regex

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
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Point
from engine.diagnostics import Severity
from engine.javascript.tasks import CompileTask, JsError
from engine.rules.checks import check_hooks
from engine.rules.javascript_cache import outcomes_of
from engine.rules.patterns.literal_signs import is_meant_literally
from engine.rules.rule import Report, Rule
from engine.rules.source.pattern_places import patterns_of, place_in_source
from engine.rules.source.regex_parser import invalid_place
from engine.rules.views import FileView

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


def _check(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    used = [(point, pattern) for point in points for pattern in patterns_of(point)]
    outcomes = outcomes_of(view.javascript, [CompileTask(pattern.bare, pattern.flags) for _, pattern in used])
    for (point, pattern), outcome in zip(used, outcomes, strict=True):
        if isinstance(outcome, JsError) and not is_meant_literally(pattern.bare):
            reason = outcome.message.rpartition(": ")[2]
            words = _PLAIN_WORDS.get(reason)
            message = f"{words} ({reason})" if words else f"this pattern cannot be read: {reason}"
            yield Report(place_in_source(view, point, pattern, invalid_place(pattern.bare)), message)


_on_prompt, _on_file = check_hooks(_check)

RULES = (
    Rule(
        code="F003",
        slug="bad-regex",
        title="Pattern that JavaScript refuses",
        severity=Severity.ERROR,
        why="The check cannot run: here it counts 0, and Weval leaves it out of the score.",
        on_prompt=_on_prompt,
        on_file=_on_file,
        needs_javascript=True,
    ),
)
