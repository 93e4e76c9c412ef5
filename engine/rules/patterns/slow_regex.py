r"""# slow-regex

A pattern that takes very long on some answers, for example because it repeats a repetition.

`(\w+\s*)+:` can divide a word between its two repetitions in ever more ways, and tries them all before it fails: each
additional letter doubles the time. A check has a tenth of a second. After that it is stopped and counts 0 here, under
`should_not` too. Weval has no such limit: it waits, and one unlucky answer can delay the whole run. The message gives
a measurement: the text and the time.

Bad:

    - id: heading
      prompt: Write a heading that ends in a colon.
      should:
        - $matches: '^(\w+\s*)+:$'

Good:

    - id: heading
      prompt: Write a heading that ends in a colon.
      should:
        - $matches: '^\w+(\s+\w+)*:$'

If the patterns and scripts of a file take more than half a second to try, those that follow are not tried, so what may
be wrong with them is not reported. Nor is a pattern tried that has over twenty parts that may be left out, or groups
within each other a hundred deep: compiling it can take seconds. One report says so, at the first prompt that it
concerns.

Fix: none. Separate the repetitions by something definite, so that a text can match in one way only.

Documents: Blueprint format, Troubleshooting 5, "Regex Pattern Too Strict".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.blueprint import Point
from engine.diagnostics import Severity
from engine.javascript.process import CHECK_MILLISECONDS
from engine.javascript.tasks import TIMING_MILLISECONDS, SlownessTask, measured
from engine.rules.checks import check_hooks
from engine.rules.javascript_cache import outcomes_of
from engine.rules.patterns.pattern_ambiguity import Suspicion, suspicions
from engine.rules.rule import Report, Rule
from engine.rules.source.pattern_places import Pattern, patterns_of, place_in_source
from engine.rules.views import FileView
from engine.text import Span

_MAX_SHOWN = 24


@dataclass(frozen=True, slots=True)
class _Witness:
    """A text on which a pattern was slow, its length in characters, and the time in milliseconds."""

    suspicion: Suspicion
    length: int
    milliseconds: float
    text: str


def _check(view: FileView, points: Sequence[Point]) -> Iterable[Report]:
    for point in points:
        for pattern in patterns_of(point):
            witness = _witness(view, pattern)
            if witness is not None:
                span = place_in_source(view, point, pattern, witness.suspicion.span)
                yield Report(span, _message(witness))


def _witness(view: FileView, pattern: Pattern) -> _Witness | None:
    """The first text that proves a suspicion; None if none does, or without V8 if it was not measured before."""
    for suspicion in suspicions(pattern.bare, pattern.flags):
        for suffix in suspicion.suffixes:
            task = SlownessTask(pattern.bare, pattern.flags, suspicion.prefix, suspicion.pump, suffix)
            (outcome,) = outcomes_of(view.javascript, [task])
            rows = [] if outcome is None else measured(outcome)
            if rows and rows[-1][1] >= CHECK_MILLISECONDS:
                length, milliseconds = rows[-1]
                pumps = (length - len(suspicion.prefix) - len(suffix)) // len(suspicion.pump)
                return _Witness(suspicion, length, milliseconds, suspicion.prefix + suspicion.pump * pumps + suffix)
    return None


def _message(witness: _Witness) -> str:
    text = " ".join(witness.text.split()) or "blanks only"
    shown = text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN // 2]}…{text[-_MAX_SHOWN // 3 :]}"
    doubles = witness.suspicion.doubles
    cause = "one text matches this repetition in many ways" if doubles else "these repetitions can share a text"
    is_stopped = witness.milliseconds >= TIMING_MILLISECONDS
    took = f"{'more than ' if is_stopped else ''}{min(round(witness.milliseconds), TIMING_MILLISECONDS)} ms"
    return f"{cause}: {witness.length} characters such as “{shown}” took {took}; the limit is {CHECK_MILLISECONDS} ms"


def _untried(place: Span, _view: FileView) -> Report:
    return Report(
        place,
        "not all patterns and scripts from here on were tried: those of this file take too long",
        why="What is wrong with the others is not reported. Each of them is still run when an answer is scored.",
    )


_on_prompt, _on_file = check_hooks(_check)

RULES = (
    Rule(
        code="F013",
        slug="slow-regex",
        title="Pattern that can take very long",
        severity=Severity.WARNING,
        why="On such an answer, the check is stopped and counts 0 here; Weval has no limit and waits for it.",
        on_prompt=_on_prompt,
        on_file=_on_file,
        on_untried=_untried,
        needs_javascript=True,
    ),
)
