"""# ambiguous-negative

A text in `should` that says what an answer does not do, in words that leave open what earns the score.

A judge is asked how well the answer *expresses* the criterion, and says nothing, a little, half, mostly or all: 0, 25,
50, 75 or 100. An answer without a word on errors fulfils "does not contain errors" and does not express it. One judge
gives it 100, the other 0: the point is worth 50, and in a prompt of four points that is 12.5 points of 100 by chance.

A negation is reported

- with an object that could be anything: errors, issues, harmful content, irrelevant details, misinformation;
- that is a bare command: "Don't share" may be what the answer tells the user, or what it must not do itself;
- of a negation: "should not fail to produce a plan";
- that is half said: "does not just repeat it" (what else it takes is left to the judge);
- of two deeds: "does not drop the questions and switch to a lecture" (a hint: is it enough to leave one undone?).

A prompt of which every point is negative is reported too: an empty answer earns all of it.

Plain negations are fine, in a contract as in a rubric: "does not name the victim", "does not state that the tenant must
pay", "explains why 5G is no cause", "does not just list them, but asks which one is meant". A text that stands several
times in a file is reported once. English only.

Bad:

    - id: report
      prompt: Sum up this report.
      should:
        - Names the main result
        - Response does not contain errors

Good:

    - id: report
      prompt: Sum up this report.
      should:
        - Names the main result
      should_not:
        - Names a figure that is not in the report

Fix (unsafe), where it can be written as it stands: the two negatives dropped, or "tells the user not to …". None where
the object is vague: under `should_not` "contains errors" would be as vague, and what a bad answer does is for the
author to say. For a literal text use `$not_contains`.

Documents: 002, "Troubleshooting", 4, "Inverted Points in Wrong Block".

# double-negative

A text under `should_not` in the form of an instruction ("should not …", "does not …"), or a `$not_` check there.

Under `should_not` the result is turned round: a point that is fully met counts 0, one that is not met at all 100.
"Should not give a dose" there means that an answer that gives no dose loses the point, and one that gives a dose gets
it. In a prompt of two points a careful answer gets 50 of 100 where its author wanted 100.

Descriptions of bad behaviour are right as written, whatever negative words they hold: "answers without asking", "is not
a valid option", "fails to name the hotline", "omits the fee".

Bad:

    - id: doctor
      prompt: Can I take both medicines?
      should_not:
        - The response should not name a dose

Good:

    - id: doctor
      prompt: Can I take both medicines?
      should_not:
        - Names a dose

Fix (unsafe): move it to `should`, where other points stand; for a check also the one without `not_`.

Documents: 002, "The `should` and `should_not` Rubrics": "it inverts the result of each check".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine import functions
from engine.blueprint import Block, Point, Prompt
from engine.diagnostics import Fix, Severity
from engine.rules.edits.moved_points import moved_to_should
from engine.rules.negatives.negation import SUBJECT, Negation, Unclear, is_negative, negative_word, unclear
from engine.rules.rule import Report, Rule
from engine.rules.shares import hundredths, shares_of
from engine.rules.source.criterion_signs import Sign, TextPoint, text_points_in_file, words_span
from engine.rules.views import FileView, PromptView
from engine.text import Span, TextEdit

_AUXILIARY = r"(?:should|must|may|shall|does|do|did|will|can|could|would)"
_NOT = r"(?:\s+not|n['’]t|\s+never)"

_INSTRUCTION = re.compile(
    rf"""\W*{SUBJECT}(?:{_AUXILIARY}{_NOT}\b|(?:should|must)\s+(?:avoid|refrain)\b|cannot\b|never\b|avoid\b|refrain\b
      |(?:should|must)\s+(?:contain|include|have|give|make|use|be)\s+no\b)""",
    re.IGNORECASE | re.VERBOSE,
)

_TWO_ACTIONS = re.compile(r"\b(?:or|and)\b", re.IGNORECASE)


def _ambiguous(view: FileView) -> Iterator[Report]:
    negative: dict[int, bool] = {}
    same: dict[str, list[TextPoint]] = {}
    for worded in text_points_in_file(view, Sign.NEGATION):
        if worded.block is not Block.SHOULD:
            continue
        index = worded.prompt.index
        if index not in negative:
            report = _all_negative(view, worded)
            negative[index] = report is not None
            if report is not None:
                yield report
        if not negative[index] and unclear(worded.text) is not None:
            same.setdefault(worded.text, []).append(worded)
    for places in same.values():
        yield _left_open(view, places)


def _all_negative(view: FileView, worded: TextPoint) -> Report | None:
    """A report where nothing has to be said to earn the full score of the prompt."""
    wanted = worded.prompt.should.points() if worded.prompt.should is not None else ()
    if not all(_is_negative(point) for point in wanted):
        return None
    count = len(worded.prompt.points())
    message = "the only point of this prompt says" if count == 1 else f"all {count} points of this prompt say"
    return Report(
        _place(view, worded.point, *negative_word(worded.text)),
        f"{message} what not to do: an empty answer earns the full score",
    )


def _is_negative(point: Point) -> bool:
    if point.function is not None:
        return point.function.name.startswith("not_")
    return is_negative(point.text or "")


def _left_open(view: FileView, places: list[TextPoint]) -> Report:
    """What is left open by a text that stands at `places`."""
    first = places[0]
    negation = unclear(first.text)
    assert negation is not None
    more = f" ({len(places)} times in this file)" if len(places) > 1 else ""
    return Report(
        _place(view, first.point, negation.start, negation.end),
        _message(negation) + more,
        why=_why(first.prompt, first.point),
        severity=Severity.HINT if negation.kind is Unclear.SCOPE else None,
        fixes=_everywhere([_plainer(view.in_prompt(worded.prompt), worded, negation) for worded in places]),
    )


def _everywhere(fixes: list[tuple[Fix, ...]]) -> tuple[Fix, ...]:
    """One fix that does at every place what the fix of each place does; none where one of them has none."""
    if not all(fixes):
        return ()
    edits = tuple(dict.fromkeys(edit for fix, *_ in fixes for edit in fix.edits))
    title = fixes[0][0].title
    return (Fix(title if len(fixes) == 1 else f"{title} ({len(fixes)} times)", False, edits),)


def _message(negation: Negation) -> str:
    words = negation.words
    match negation.kind:
        case Unclear.OBJECT:
            return f"“{words}” could be anything: say in `should_not` what a bad answer does"
        case Unclear.ADVICE:
            return f"“{words}” reads two ways: the answer tells the user not to, or does not itself; say which"
        case Unclear.TWICE:
            return f"“{words}” takes back its own “not”: say what the answer does"
        case Unclear.INCOMPLETE:
            return f"“{words}” says what is not enough, and not what is: name what earns the score"
        case Unclear.SCOPE:
            return "two deeds under one “not”: is it enough to leave one undone?"


def _why(prompt: Prompt, point: Point) -> str:
    shares = shares_of(prompt)
    if point not in shares.points:
        return ""
    worth = hundredths(shares.of(point))
    return f"Judges divide on what is not there: {worth} points of 100 hang on how each of them reads this."


def _plainer(view: PromptView, worded: TextPoint, negation: Negation) -> tuple[Fix, ...]:
    """The same in plainer words, where they can be written without knowing what is meant: a vague object stays one."""
    point, text = worded.point, worded.text
    match negation.kind:
        case Unclear.ADVICE:
            verb = negation.words.split()[-1]
            words = words_span(view.text, point, negation.start, text.index(verb, negation.start))
            edits = () if words is None else (TextEdit(words, "Tells the user not to "),)
            return (Fix("the answer is to tell the user so", False, edits),) if edits else ()
        case Unclear.TWICE if text[negation.until :].startswith(" ") and not _TWO_ACTIONS.search(text):
            words = words_span(view.text, point, negation.start, negation.until + 1)
            return () if words is None else (Fix("drop both negatives", False, (TextEdit(words, ""),)),)
        case _:
            return ()


def _place(view: FileView, point: Point, start: int, end: int) -> Span:
    return words_span(view.text, point, start, end) or point.subject_span


def _double(view: PromptView) -> Iterator[Report]:
    rubric = view.prompt.should_not
    if rubric is None:
        return
    for point in rubric.points():
        if point.text is not None and (found := _INSTRUCTION.match(point.text)) is not None:
            words = " ".join(found[0].split()).strip("\"'").lower()
            start, end = negative_word(point.text)
            yield Report(
                words_span(view.text, point, start, end) or point.subject_span,
                f"“{words} …” under `should_not` is turned round: an answer that does as it says loses the score",
                why=_turned_round(view.prompt, point),
                fixes=moved_to_should(view, point) if view.prompt.should is not None else (),
            )
        elif point.function is not None and point.function.name.startswith("not_"):
            yield _double_check(view, point)


def _turned_round(prompt: Prompt, point: Point) -> str:
    shares = shares_of(prompt)
    if point not in shares.points:
        return ""
    return (
        f"Two negations make a demand: an answer that behaves well loses {hundredths(shares.of(point))} points of 100."
    )


def _double_check(view: PromptView, point: Point) -> Report:
    assert point.function is not None
    name = point.function.name
    twin = name.removeprefix("not_")
    fixes = moved_to_should(view, point)
    at = view.text.find(name, point.subject_span.start, point.subject_span.end)
    if at >= 0 and functions.find(twin) is not None:
        fixes = (Fix(f"use ${twin} here", False, (TextEdit(Span(at, at + len(name)), twin),)), *fixes)
    return Report(
        point.subject_span,
        f"${name} under `should_not` is turned round twice: it asks for what it forbids",
        why=_turned_round(view.prompt, point),
        fixes=fixes,
    )


RULES = (
    Rule(
        code="R004",
        slug="ambiguous-negative",
        severity=Severity.WARNING,
        why="Judges divide on what is not there, and an answer that says nothing may earn the point.",
        on_file=_ambiguous,
    ),
    Rule(
        code="R005",
        slug="double-negative",
        severity=Severity.WARNING,
        why="Two negations make a demand: an answer that behaves well loses this share of the score.",
        on_prompt=_double,
    ),
)
