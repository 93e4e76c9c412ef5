r"""# line-bound-pattern: Pattern that only an answer of one line matches

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
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TypeAlias

from engine.blueprint import Point, Prompt
from engine.functions.tasks import Matches, RegexTask, TaskRunner
from engine.rules.checks import forbidden_places, hooked_rule, is_negated, prompt_check_hooks
from engine.rules.functions.literal_forms import written_texts
from engine.rules.functions.rewritten_checks import rewritten
from engine.rules.rule import Report
from engine.rules.source.pattern_places import Pattern, patterns_of, place_in_source
from engine.rules.source.prompt_texts import asks_for_bare_word, sent_text
from engine.rules.source.regex_parser import (
    Alternation,
    Assertion,
    Backreference,
    CharacterClass,
    Concatenation,
    Group,
    Literal,
    Regex,
    Repeat,
    parse_regex,
    parts,
)
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span, in_quotes

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
        finds_it, ideal_passes = matches(javascript, pattern, changed, [witness.missed, ideal])
        edits = rewritten(view, point, {pattern.written: pattern.head + changed})
        if edits and finds_it and (ideal_passes or not was_passed):
            yield Fix(title, False, edits)


def _unbound(pattern: str) -> str | None:
    """The pattern without `^.*` and `.*$`; None if nothing but these would be left, or neither is there."""
    items = items_of(pattern)
    start, end = 0, len(items)
    optional = [isinstance(part, Repeat) and part.least == 0 and is_any_run(part) for part in items]
    if end > 2 and is_assertion(items[0], "^") and optional[1]:
        start = 2
    if end - start > 2 and is_assertion(items[-1], "$") and optional[-2]:
        end -= 2
    return pattern[items[start].span.start : items[end - 1].span.end] if 0 < end - start < len(items) else None


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


_ANY = (".*", ".+", ".{")
_FILLER = "yes indeed"


class Witness(Record):
    """Two answers that differ in a line break only, of which a pattern matches one, and the run that is in between."""

    matched: str
    missed: str
    place: Span


def may_be_line_bound(pattern: str) -> bool:
    """Whether a pattern has a run of any characters: a quick filter."""
    return any(sign in pattern for sign in _ANY)


def witness_against(pattern: Pattern, javascript: TaskRunner) -> Witness | None:
    """Proof that a line break at a run makes the pattern fail; None if there is none."""
    if not may_be_line_bound(pattern.bare):
        return None
    found = (_failing(pattern, option, javascript) for option in options_of(pattern.bare))
    return next(filter(None, found), None)


def _failing(pattern: Pattern, option: Span, javascript: TaskRunner) -> Witness | None:
    """An answer of one line that the pattern matches by an alternative, and fails once it has two lines."""
    text = option.of(pattern.bare)
    runs, tree = bound_runs(text), parse_regex(text)
    pieces = _pieces(tree) if runs and tree is not None else None
    answer = _answer(pieces or [])
    if pieces is None or len(answer) > _LONGEST:
        return None
    split = [(each.span, _answer(pieces, each)) for each in pieces if isinstance(each, Repeat) and each.span in runs]
    split.sort(key=lambda each: text[: each[0].start].endswith('"'))  # JSON has no line break within a string
    passes, *found = matches(javascript, pattern, pattern.bare, [answer, *(broken for _, broken in split)])
    for (span, broken), is_found in zip(split, found, strict=True):
        if passes and not is_found:
            return Witness(answer, broken, span.shifted(option.start))
    return None


def options_of(pattern: str) -> list[Span]:
    """The alternatives of the whole pattern, without a group around all of it; the pattern itself if it has none."""
    tree = parse_regex(pattern)
    while isinstance(tree, Group) and not tree.is_lookaround:
        tree = tree.body
    if tree is None:
        return []
    return [option.span for option in tree.options] if isinstance(tree, Alternation) else [tree.span]


def bound_runs(pattern: str) -> frozenset[Span]:
    """The runs of any characters that `^`, `$` or a lookahead at the start binds to one line."""
    tree, items = parse_regex(pattern), items_of(pattern)
    if tree is None or len(items) < 2:
        return frozenset()
    if is_assertion(items[0], "^") and is_assertion(items[-1], "$"):
        return frozenset(part.span for part in parts(tree) if is_any_run(part))
    found: set[Span] = set()
    if len(items) > 2:
        ends = ((items[0], "^", items[1]), (items[-1], "$", items[-2]))
        found.update(run.span for end, kind, run in ends if is_assertion(end, kind) and is_any_run(run))
    at_start = takewhile(lambda item: is_assertion(item, "^") or _is_lookahead(item), items)
    for lookahead in filter(_is_lookahead, at_start):
        found.update(part.span for part in parts(lookahead) if is_any_run(part))
    return frozenset(found)


def _is_lookahead(part: Regex) -> bool:
    return isinstance(part, Group) and part.opening == "(?="


def items_of(pattern: str) -> tuple[Regex, ...]:
    """The parts of a pattern one after the other; none of a single part, and of an invalid pattern."""
    tree = parse_regex(pattern)
    return tree.items if isinstance(tree, Concatenation) else ()


def is_assertion(part: Regex, kind: str) -> bool:
    """Whether the part is `^`, or `$`."""
    return isinstance(part, Assertion) and part.kind == kind


def matches(javascript: TaskRunner, pattern: Pattern, written: str, answers: Sequence[str]) -> list[bool]:
    """Whether each of `answers` matches `written`, with the flags of `pattern`."""
    outcomes = javascript.run([RegexTask(written, pattern.flags, answer, 1) for answer in answers])
    return [isinstance(outcome, Matches) and bool(outcome.spans) for outcome in outcomes]


_PREFERRED = "a1 A-_.,:"
_LONGEST = 400


_Pieces: TypeAlias = list[str | Repeat]
"""An answer that a pattern matches: its texts, and between them the runs of any characters."""


def _pieces(tree: Regex) -> _Pieces | None:
    """A short answer that `tree` matches; None if it cannot be made.

    Lookaheads are taken as text at their place, so the answer has to be tried against the pattern.
    """
    match tree:
        case Literal(character=character):
            return [character]
        case CharacterClass(ranges=ranges, negated=negated):
            first = ranges[0][0] if ranges and not negated else None
            found = next((each for each in _PREFERRED if tree.holds(each)), first)
            return None if found is None else [found]
        case Assertion() | Group(opening="(?!" | "(?<!"):
            return []
        case Backreference():
            return None
        case Group(body=body):
            return _pieces(body)
        case Repeat() if is_any_run(tree):
            return [tree]
        case Repeat(body=body, least=least):
            rows = [_pieces(body)] * min(least, 20)
        case Concatenation(items=items):
            rows = [*map(_pieces, items)]
        case Alternation(options=options):
            made = [_pieces(option) or [] for option in options]
            rows = [next((row for row in made if any(isinstance(piece, Repeat) for piece in row)), made[0])]
    found_rows = [row for row in rows if row is not None]
    return [piece for row in found_rows for piece in row] if len(found_rows) == len(rows) else None


def _answer(pieces: _Pieces, broken: Repeat | None = None) -> str:
    """The answer with a filler for each run, and a line break beside that of `broken`."""
    text = ""
    for number, piece in enumerate(pieces):
        if isinstance(piece, str):
            text += f" {piece}" if text.endswith(_FILLER) and piece.isalnum() else piece
        elif piece is broken and number == len(pieces) - 1:
            text = f"{text}\n{_FILLER}" if text else "\n".join(_FILLER.split())
        else:
            text += f"{' ' * text[-1:].isalnum()}{_FILLER}{chr(10) * (piece is broken)}"
    return text


def is_any_run(part: Regex) -> bool:
    """Whether it is `.*`, `.+` or `.{2,}`: any number of characters of one line."""
    return (
        isinstance(part, Repeat)
        and part.most is None
        and isinstance(part.body, CharacterClass)
        and part.body.negated
        and part.body.holds(" ")
        and not part.body.holds("\n")
        and part.body.span.end - part.body.span.start == 1
    )


@hooked_rule(prompt_check_hooks, "F080", Severity.WARNING, why=_WANTED, needs_javascript=True)
def line_bound_pattern(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    if view.javascript is None or not any(map(may_be_line_bound, written_texts(points))):
        return
    asked = "" if prompt is None else sent_text(prompt)
    if asks_for_bare_word(asked) or _ONE_LINE.search(asked) is not None:
        return
    forbidden = () if prompt is None else forbidden_places(prompt)
    for point in points:
        for pattern in patterns_of(point):
            witness = witness_against(pattern, view.javascript)
            if witness is not None:
                yield Report(
                    place_in_source(view, point, pattern, witness.place),
                    f"`.` is never a line break, so this fits one line only: {in_quotes(_shown(witness.matched))} "
                    f"matches, {in_quotes(_shown(witness.missed))} does not",
                    why=_FORBIDDEN if is_negated(point) is not (point.span in forbidden) else "",
                    fixes=tuple(_fixes(view, point, pattern, witness, (prompt and prompt.ideal) or "")),
                )
