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

# line-bound-pattern: Pattern that only an answer of one line matches

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

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import TypeAlias

from engine.blueprint import Point, Prompt
from engine.functions.tasks import Matches, RegexTask, TaskRunner
from engine.rules.checks import check_rule, forbidden_places, is_negated, sent_text
from engine.rules.functions.literal_forms import rewritten
from engine.rules.phrases import says
from engine.rules.refusals import cut
from engine.rules.rule import FileView, Report
from engine.rules.source import regexes
from engine.rules.source.prompt_texts import AnswerForm, answer_form
from engine.text import Fix, Record, Span, TextEdit, in_quotes, lazy
from engine.text.spans import apply_edits

_WORD_TWINS = {"matches": "contains_word", "imatches": "icontains_word"}
_LATIN = r"[\wÀ-ɏ]"
_WORD_CLASS = r"\w"
_ONE_WORD = lazy(r"\\b([^\\^$.*+?()|\[{]+)\\b")
"""A pattern that is one word between two `\\b`."""


@check_rule()
def ascii_boundary(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterable[Report]:
    for pattern in regexes.patterns_in(points):
        tree = regexes.parse_regex(pattern.bare)
        if tree is not None and (found := list(_ascii_only(pattern.bare, tree))):
            yield _boundary_report(view, pattern, found)


_Blind: TypeAlias = tuple[Span, str, bool]
"""A `\\b` or `\\w` beside a letter that it does not know, the letter, and whether the letter precedes it."""


def _ascii_only(pattern: str, tree: regexes.Regex) -> Iterator[_Blind]:
    for row in regexes.concatenations(tree):
        for before, part, after in zip((None, *row), row, (*row[1:], None), strict=False):
            inner = part.body if isinstance(part, regexes.Repeat) else part
            is_boundary = isinstance(part, regexes.Assertion) and part.kind == "\\b"
            if is_boundary or (isinstance(inner, regexes.CharacterClass) and inner.span.of(pattern) == _WORD_CLASS):
                letter = _letter(before, -1)
                if other := letter or _letter(after, 0):
                    yield inner.span, other, letter is not None


def _letter(part: regexes.Regex | None, end: int) -> str | None:
    """A letter other than a to z that is at the `end` of `part`, 0 or -1; None if there is none."""
    match part:
        case regexes.Literal(character=character):
            return character if not character.isascii() and unicodedata.category(character)[0] in "LM" else None
        case regexes.CharacterClass(ranges=ranges, negated=False):
            return next((first for first, _ in ranges if not first.isascii() and first.isalpha()), None)
        case regexes.Group(body=body) | regexes.Repeat(body=body):
            return _letter(body, end)
        case regexes.Concatenation(items=items) if items:
            return _letter(items[end], end)
        case regexes.Alternation(options=options):
            return next((found for each in options if (found := _letter(each, end))), None)
        case _:
            return None


def _boundary_report(view: FileView, pattern: regexes.Pattern, found: list[_Blind]) -> Report:
    span, letter, is_before = found[0]
    message = f"`\\w` does not know letters such as “{letter}”: it matches only a to z, digits and _"
    if span.of(pattern.bare) == "\\b":
        side = "after" if is_before else "before"
        message = f"`\\b` does not know “{letter}” as a letter: it sees no boundary {side} it"
    fixes = tuple(_boundary_fixes(view, pattern, found))
    return Report(regexes.place_in_source(view.text, pattern, span), message, fixes=fixes)


def _boundary_fixes(view: FileView, pattern: regexes.Pattern, found: list[_Blind]) -> Iterator[Fix]:
    point, word = pattern.point, _ONE_WORD.fullmatch(pattern.bare)
    name = _WORD_TWINS.get(point.call.name)
    if edits := () if word is None or name is None else rewritten(view, point, {pattern.written: word[1]}, name):
        yield Fix(f"use ${name}", False, edits)
    elif all(span.of(pattern.bare) == "\\b" and "À" <= letter <= "ɏ" for span, letter, _ in found):
        known = (TextEdit(span, f"(?{'!' if is_before else '<!'}{_LATIN})") for span, _, is_before in found)
        edits = rewritten(view, point, {pattern.written: pattern.head + apply_edits(pattern.bare, known)})
        yield Fix("a word boundary that knows accented letters", False, edits)


@check_rule()
def one_branch_boundary(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterator[Report]:
    for pattern in regexes.patterns_in(points):
        tree = regexes.parse_regex(pattern.bare) if "|" in pattern.bare else None
        for part in () if tree is None else regexes.parts(tree):
            if isinstance(part, regexes.Alternation) and (inner := _bounded(part.options)) is not None:
                yield _branch_report(view, pattern, part, inner)


def _bounded(options: Sequence[regexes.Regex]) -> Span | None:
    """The place of all `options` without the boundaries that only the first or the last one has; None without any."""
    rows = [each.items if isinstance(each, regexes.Concatenation) else (each,) for each in options]
    ahead, behind = [_boundaries(row) for row in rows], [_boundaries(row[::-1]) for row in rows]
    first = ahead[0] if ahead[0] < len(rows[0]) and not any((*ahead[1:], behind[0])) else 0
    last = behind[-1] if behind[-1] < len(rows[-1]) and not any((*behind[:-1], ahead[-1])) else 0
    if not (first and last) and not ((first or last) and all(map(_is_word, rows))):
        return None
    return Span(rows[0][first].span.start, rows[-1][-1 - last].span.end)


def _boundaries(row: Iterable[regexes.Regex]) -> int:
    """How many parts at the start of `row` match no text."""
    return len([*takewhile(_is_boundary, row)])


def _is_boundary(part: regexes.Regex) -> bool:
    return isinstance(part, regexes.Assertion) or (isinstance(part, regexes.Group) and part.is_lookaround)


def _is_word(row: Iterable[regexes.Regex]) -> bool:
    return all(
        isinstance(part, regexes.Assertion) or (isinstance(part, regexes.Literal) and part.character.isalnum())
        for part in row
    )


def _branch_report(view: FileView, pattern: regexes.Pattern, part: regexes.Alternation, inner: Span) -> Report:
    text, whole = pattern.bare, part.span
    opening, closing = text[whole.start : inner.start], text[inner.end : whole.end]
    ends = ((opening, part.options[0]), (closing, part.options[-1]))
    told = " and ".join(f"`{sign}` applies to `{cut(option.span.of(text))}` only" for sign, option in ends if sign)
    grouped = f"{opening}(?:{inner.of(text)}){closing}"
    written = f"{pattern.head}{text[: whole.start]}{grouped}{text[whole.end :]}"
    fix = Fix("group the alternatives", False, rewritten(view, pattern.point, {pattern.written: written}))
    message = f"{told}: to apply it to all alternatives, write `{cut(grouped)}`"
    return Report(regexes.place_in_source(view.text, pattern, whole), message, fixes=(fix,))


_CROSSING = r"[\s\S]"
_MOST_SHOWN = 60
"""Characters of an answer that a message shows."""


def _line_fixes(
    view: FileView, javascript: TaskRunner, pattern: regexes.Pattern, witness: Witness, ideal: str
) -> Iterator[Fix]:
    [was_passed] = matches(javascript, pattern, pattern.bare, [ideal])
    changes = (("on any line", _unbound(pattern.bare)), (f"across lines: {_CROSSING}", _crossing(pattern.bare)))
    for title, changed in changes:
        if changed is None or any(bound_runs(option.of(changed)) for option in options_of(changed)):
            continue
        finds_it, ideal_passes = matches(javascript, pattern, changed, [witness.missed, ideal])
        if finds_it and (ideal_passes or not was_passed):
            yield Fix(title, False, rewritten(view, pattern.point, {pattern.written: pattern.head + changed}))


def _unbound(pattern: str) -> str | None:
    """The pattern without `^.*` and `.*$`; None if nothing but these would be left, or neither is there."""
    items = items_of(pattern)
    start, end = 0, len(items)
    optional = [isinstance(part, regexes.Repeat) and part.least == 0 and is_any_run(part) for part in items]
    if end > 2 and is_assertion(items[0], "^") and optional[1]:
        start = 2
    if end - start > 2 and is_assertion(items[-1], "$") and optional[-2]:
        end -= 2
    return pattern[items[start].span.start : items[end - 1].span.end] if 0 < end - start < len(items) else None


def _crossing(pattern: str) -> str:
    """The pattern with `[\\s\\S]` for `.` in its runs of any characters."""
    tree = regexes.parse_regex(pattern)
    starts = [part.span.start for part in (() if tree is None else regexes.parts(tree)) if is_any_run(part)]
    return apply_edits(pattern, [TextEdit(Span(start, start + 1), _CROSSING) for start in starts])


_FORBIDDEN = "What is forbidden is not found in an answer of two lines, which meets the criterion all the same."


_FILLER = "yes indeed"


class Witness(Record):
    """Two answers that differ in a line break only, of which a pattern matches one, and the run that is in between."""

    matched: str
    missed: str
    place: Span


def witness_against(pattern: regexes.Pattern, javascript: TaskRunner) -> Witness | None:
    """Proof that a line break at a run makes the pattern fail; None if there is none."""
    return next(filter(None, (_failing(pattern, each, javascript) for each in options_of(pattern.bare))), None)


def _failing(pattern: regexes.Pattern, option: Span, javascript: TaskRunner) -> Witness | None:
    """An answer of one line that the pattern matches by an alternative, and fails once it has two lines."""
    text = option.of(pattern.bare)
    runs, tree = bound_runs(text), regexes.parse_regex(text)
    pieces = _pieces(tree) if runs and tree is not None else None
    answer = _answer(pieces or [])
    if pieces is None or len(answer) > _LONGEST:
        return None
    split = [
        (each.span, _answer(pieces, each)) for each in pieces if isinstance(each, regexes.Repeat) and each.span in runs
    ]
    split.sort(key=lambda each: text[: each[0].start].endswith('"'))  # JSON has no line break within a string
    passes, *found = matches(javascript, pattern, pattern.bare, [answer, *(broken for _, broken in split)])
    for (span, broken), is_found in zip(split, found, strict=True):
        if passes and not is_found:
            return Witness(answer, broken, span.shifted(option.start))
    return None


def options_of(pattern: str) -> list[Span]:
    """The alternatives of the whole pattern, without a group around all of it; the pattern itself if it has none."""
    tree = regexes.parse_regex(pattern)
    while isinstance(tree, regexes.Group) and not tree.is_lookaround:
        tree = tree.body
    if tree is None:
        return []
    return [option.span for option in tree.options] if isinstance(tree, regexes.Alternation) else [tree.span]


def bound_runs(pattern: str) -> frozenset[Span]:
    """The runs of any characters that `^`, `$` or a lookahead at the start binds to one line."""
    tree, items = regexes.parse_regex(pattern), items_of(pattern)
    if tree is None or len(items) < 2:
        return frozenset()
    if is_assertion(items[0], "^") and is_assertion(items[-1], "$"):
        return frozenset(part.span for part in regexes.parts(tree) if is_any_run(part))
    found: set[Span] = set()
    if len(items) > 2:
        ends = ((items[0], "^", items[1]), (items[-1], "$", items[-2]))
        found.update(run.span for end, kind, run in ends if is_assertion(end, kind) and is_any_run(run))
    at_start = takewhile(lambda item: is_assertion(item, "^") or _is_lookahead(item), items)
    for lookahead in filter(_is_lookahead, at_start):
        found.update(part.span for part in regexes.parts(lookahead) if is_any_run(part))
    return frozenset(found)


def _is_lookahead(part: regexes.Regex) -> bool:
    return isinstance(part, regexes.Group) and part.opening == "(?="


def items_of(pattern: str) -> tuple[regexes.Regex, ...]:
    """The parts of a pattern one after the other; none of a single part, and of an invalid pattern."""
    tree = regexes.parse_regex(pattern)
    return tree.items if isinstance(tree, regexes.Concatenation) else ()


def is_assertion(part: regexes.Regex, kind: str) -> bool:
    """Whether the part is `^`, or `$`."""
    return isinstance(part, regexes.Assertion) and part.kind == kind


def matches(javascript: TaskRunner, pattern: regexes.Pattern, written: str, answers: Sequence[str]) -> list[bool]:
    """Whether each of `answers` matches `written`, with the flags of `pattern`."""
    outcomes = javascript.run([RegexTask(written, pattern.flags, answer, 1) for answer in answers])
    return [isinstance(outcome, Matches) and bool(outcome.spans) for outcome in outcomes]


_PREFERRED = "a1 A-_.,:"
_LONGEST = 400


_Pieces: TypeAlias = list[str | regexes.Repeat]
"""An answer that a pattern matches: its texts, and between them the runs of any characters."""


def _pieces(tree: regexes.Regex) -> _Pieces | None:
    """A short answer that `tree` matches; None if it cannot be made.

    Lookaheads are taken as text at their place, so the answer has to be tried against the pattern.
    """
    match tree:
        case regexes.Literal(character=character):
            return [character]
        case regexes.CharacterClass(ranges=ranges, negated=negated):
            first = ranges[0][0] if ranges and not negated else None
            found = next((each for each in _PREFERRED if tree.holds(each)), first)
            return None if found is None else [found]
        case regexes.Assertion() | regexes.Group(opening="(?!" | "(?<!"):
            return []
        case regexes.Backreference():
            return None
        case regexes.Group(body=body):
            return _pieces(body)
        case regexes.Repeat() if is_any_run(tree):
            return [tree]
        case regexes.Repeat(body=body, least=least):
            rows = [_pieces(body)] * min(least, 20)
        case regexes.Concatenation(items=items):
            rows = [*map(_pieces, items)]
        case regexes.Alternation(options=options):
            made = [_pieces(option) or [] for option in options]
            rows = [next((row for row in made if any(isinstance(piece, regexes.Repeat) for piece in row)), made[0])]
    found_rows = [row for row in rows if row is not None]
    return [piece for row in found_rows for piece in row] if len(found_rows) == len(rows) else None


def _answer(pieces: _Pieces, broken: regexes.Repeat | None = None) -> str:
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


def is_any_run(part: regexes.Regex) -> bool:
    """Whether it is `.*`, `.+` or `.{2,}`: any number of characters of one line."""
    if (
        not isinstance(part, regexes.Repeat)
        or part.most is not None
        or not isinstance(part.body, regexes.CharacterClass)
    ):
        return False
    return part.body.negated and part.body.span.end - part.body.span.start == 1


@check_rule(needs_javascript=True)
def line_bound_pattern(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    asked, ideal = "" if prompt is None else sent_text(prompt), (prompt and prompt.ideal) or ""
    is_bare = says("bare-answer", asked) and answer_form(asked) is AnswerForm.ALONE
    if view.javascript is None or is_bare or says("one-line", asked):
        return
    forbidden = () if prompt is None else forbidden_places(prompt)
    for pattern in regexes.patterns_in(points):
        point, witness = pattern.point, witness_against(pattern, view.javascript)
        if witness is not None:
            matched, missed = (cut(each.replace("\n", "↵"), _MOST_SHOWN) for each in (witness.matched, witness.missed))
            yield Report(
                regexes.place_in_source(view.text, pattern, witness.place),
                f"`.` is never a line break, so this fits one line only: {in_quotes(matched)} "
                f"matches, {in_quotes(missed)} does not",
                why=_FORBIDDEN if is_negated(point) is not (point.span in forbidden) else "",
                fixes=tuple(_line_fixes(view, view.javascript, pattern, witness, ideal)),
            )
