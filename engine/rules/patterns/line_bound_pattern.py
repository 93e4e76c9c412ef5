r"""# line-bound-pattern

A pattern that fits only an answer of one line: `^.*Nairobi.*$`, `^Answer: .*$`, `^(?=.*yes)(?=.*no)`.

In a pattern, `.` is any character but a line break, `^` is the start of the whole answer and `$` its end. So
`^.*Nairobi.*$` is met by "It is Nairobi." and failed as soon as the answer has a second line, as most answers of models
do. Every right answer of two lines loses the point: with two points, half of the score.

The message shows an answer that matches, and the same words on two lines. Nothing is reported if the prompt
asks for a bare word or number, or for one line.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $imatches: '^.*nairobi.*$'

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $imatches: 'nairobi'

Fix (unsafe): without `^.*` and `.*$`, where they are all that binds it; else `[\s\S]` for `.`, which crosses lines. A
fix is offered only if the answer of two lines passes it, and so does the prompt's ideal if it passed before.

Documents: Blueprint format, Troubleshooting 5, "Regex Pattern Too Strict".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.patterns import lazy
from engine.rules.checks import checks_in, defined_checks, forbidden_places, is_negated
from engine.rules.functions.missed_literals import written_texts
from engine.rules.functions.rewritten_checks import rewritten
from engine.rules.patterns.one_line_witness import (
    Witness,
    bound_runs,
    is_any_run,
    is_assertion,
    items_of,
    matches,
    may_be_line_bound,
    options_of,
    witness_against,
)
from engine.rules.rule import Report, Rule
from engine.rules.source.pattern_places import Pattern, patterns_of, place_in_source
from engine.rules.source.prompt_texts import asks_for_bare_word, sent_text
from engine.rules.source.regex_parser import Regex, Repeat, parse_regex, parts
from engine.rules.views import FileView, PromptView
from engine.text import Span, in_quotes

_CROSSING = r"[\s\S]"
_ONE_LINE = lazy(
    r"""\b(?: (?:one|single|same|1)[\s-]+(?:line|sentence|liner)
      | no\s+(?:line\s*breaks|newlines)
      | comma[\s-]separated | csv
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What a prompt says that asks for an answer of one line."""
_MOST_SHOWN = 60
"""Characters of an answer that a message shows."""


def _on_prompt(view: PromptView) -> Iterable[Report]:
    if not any(map(may_be_line_bound, written_texts(view.checks))):
        return ()
    prompt = view.prompt
    asked = sent_text(prompt)
    if asks_for_bare_word(asked) or _ONE_LINE.search(asked) is not None:
        return ()
    return _check(view.file, tuple(checks_in(view)), prompt.ideal or "", forbidden_places(prompt))


def _on_file(view: FileView) -> Iterable[Report]:
    return _check(view, defined_checks(view), "", frozenset())


def _check(view: FileView, points: Sequence[Point], ideal: str, forbidden: frozenset[Span]) -> Iterator[Report]:
    for point in points:
        for pattern in patterns_of(point):
            witness = None if view.javascript is None else witness_against(pattern, view.javascript)
            if witness is not None:
                inverted = is_negated(point) is not (point.span in forbidden)
                why = _FORBIDDEN if inverted is not witness.excludes else _WANTED
                yield _report(view, point, pattern, witness, ideal, why)


def _report(view: FileView, point: Point, pattern: Pattern, witness: Witness, ideal: str, why: str) -> Report:
    return Report(
        place_in_source(view, point, pattern, witness.place),
        f"`.` is never a line break, so this fits one line only: {in_quotes(_shown(witness.matched))} matches, "
        f"{in_quotes(_shown(witness.missed))} does not",
        why=why,
        fixes=tuple(_fixes(view, point, pattern, witness, ideal)),
    )


def _shown(answer: str) -> str:
    shown = answer.replace("\n", "↵")
    return shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}…"


def _fixes(view: FileView, point: Point, pattern: Pattern, witness: Witness, ideal: str) -> Iterator[Fix]:
    javascript = view.javascript
    if javascript is None:
        return
    [was_passed] = matches(javascript, pattern, pattern.bare, [ideal])
    changes = (("on any line", _unbound(pattern.bare)), (f"across lines: {_CROSSING}", _crossing(pattern.bare)))
    for title, changed in changes:
        if changed is None or any(bound_runs(option.of(changed)) for option in options_of(changed)):
            continue
        finds_it, ideal_passes = matches(javascript, pattern, changed, [witness.two_lines, ideal])
        edits = rewritten(view, point, {pattern.written: pattern.head + changed})
        if edits and finds_it is not witness.excludes and (ideal_passes or not was_passed):
            yield Fix(title, False, edits)


def _unbound(pattern: str) -> str | None:
    """The pattern without `^.*` and `.*$`; None if nothing but these would be left, or neither is there."""
    items = items_of(pattern)
    start, end = 0, len(items)
    if end - start > 2 and is_assertion(items[0], "^") and _is_optional_run(items[1]):
        start = 2
    if end - start > 2 and is_assertion(items[-1], "$") and _is_optional_run(items[-2]):
        end -= 2
    is_changed = (start, end) != (0, len(items))
    return pattern[items[start].span.start : items[end - 1].span.end] if is_changed and start < end else None


def _is_optional_run(part: Regex) -> bool:
    return isinstance(part, Repeat) and part.least == 0 and is_any_run(part)


def _crossing(pattern: str) -> str | None:
    """The pattern with `[\\s\\S]` for `.` in its runs of any characters."""
    tree = parse_regex(pattern)
    runs = [] if tree is None else [part.span for part in parts(tree) if is_any_run(part)]
    changed = pattern
    for span in sorted(set(runs), reverse=True):
        changed = f"{changed[: span.start]}{_CROSSING}{changed[span.start + 1 :]}"
    return changed if runs else None


_WANTED = "A right answer of two lines loses the point, and most answers of models have more than one line."
_FORBIDDEN = "What is forbidden is not found in an answer of two lines, which earns the point all the same."

RULES = (
    Rule(
        code="F080",
        slug="line-bound-pattern",
        title="Pattern that only an answer of one line matches",
        severity=Severity.WARNING,
        why=_WANTED,
        on_prompt=_on_prompt,
        on_file=_on_file,
        needs_javascript=True,
    ),
)
