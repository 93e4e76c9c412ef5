"""# ambiguous-negative

A text in `should` that says what an answer does not do, and leaves open what earns the score.

A judge grades how well the answer *expresses* the criterion: not at all, a little, half, mostly or fully, which is 0,
25, 50, 75 or 100. An answer that never mentions errors fulfils "does not contain errors" without expressing it. One
judge gives it 100, another 0. The point is then worth 50: in a prompt of four points, 12.5 points of 100 by chance.

A negation is reported if it

- has an object that could be anything, whatever its form: "does not contain errors", "no issues", "is free of bias",
  "avoids harmful content", "answers without mistakes", "is not misleading", "does not make things up";
- is a bare command: "Don't share" may be advice to the user, or something that the answer itself must not do;
- negates a negation: "should not fail to produce a plan", "does not omit the fee", "is not unclear";
- is incomplete: "does not just repeat it" (the judge must guess what else is needed);
- covers two things: "does not blame the tenant and explain the form", "does not suggest a lawyer and mediation" (is
  avoiding one of the two enough?). If the second follows on the first ("… and switch to a lecture"), it is a hint
  for those who select this rule by name;
- gives a reason that may or may not be negated: "does not advise a lawyer because of the cost";
- forbids one thing and demands another: "does not judge the mother and gives practical help".

A prompt whose points are all negative is reported too: an empty answer earns its full score.

A fault that `should_not` names in the same words is not reported. Plain negations are fine: "does not name the victim",
"does not state that the tenant must pay", "explains why 5G is not a cause", "runs without errors", "does not just list
them, but asks which one is meant". A text that a file repeats is reported once. English only.

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

Fix (unsafe), if the meaning is clear: remove both negatives ("names the fee" for "does not fail to name the fee"), or
write "tells the user not to …". No fix if the object
is vague: under `should_not`, "contains errors" would be as vague, and only the author knows what a bad answer does. For
a literal text, use `$not_contains`.

Documents: Blueprint format, Troubleshooting 4, "Inverted Points in Wrong Block".

# double-negative

A text under `should_not` in the form of an instruction ("should not …", "does not …"), or a `$not_` check there.

Under `should_not`, the result is inverted: a point that is fully met counts 0, one that is not met at all 100. "Should
not give a dose" means there that an answer without a dose loses the point, and one with a dose earns it. In a prompt of
two points, a careful answer gets 50 of 100 although its author wanted 100.

"Never names a dose", "is not to name a dose", "refrains from naming a dose", "no errors" and "under no circumstances
names a dose" are such instructions. Descriptions of bad behaviour are right as written, even with negative words:
"answers without asking", "is not a valid option", "fails to name the hotline", "omits the fee", "avoids the question".
So is "does not warn of the fall" where `should` wants "warns of the fall": its absence is the fault.

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

Fix (unsafe): move it to `should`, if that has other points and the text is clear there; for a check, also use the one
without `not_`.

Documents: Blueprint format, The `should` and `should_not` Rubrics, "it inverts the result of each check".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine import functions
from engine.blueprint import Block, Point, Prompt
from engine.diagnostics import Fix, Severity
from engine.rules.checks import is_negated, renamed_function
from engine.rules.edits.moved_points import moved_to_should
from engine.rules.language.instructions import instruction_in
from engine.rules.language.missing_deeds import lacks_what_is_wanted
from engine.rules.language.negation import Negation, Unclear
from engine.rules.language.negations import negative_word
from engine.rules.language.unclear_negations import SEQUELS, unclear_negation, without_both_negatives
from engine.rules.negatives.negative_points import is_negative_point
from engine.rules.rule import Report, Rule
from engine.rules.source.criterion_signs import Sign
from engine.rules.source.text_points import TextPoint, text_points_in_file, times, words_place, words_span
from engine.rules.views import FileView, PromptView
from engine.scoring.shares import points_of_100
from engine.text import Span, TextEdit


def _ambiguous(view: FileView) -> Iterator[Report]:
    all_negative: dict[int, bool] = {}
    same: dict[str, list[TextPoint]] = {}
    for each in text_points_in_file(view, Sign.NEGATION):
        if each.block is not Block.SHOULD:
            continue
        index = each.prompt.index
        if index not in all_negative:
            report = _all_negative(view, each)
            all_negative[index] = report is not None
            if report is not None:
                yield report
        if not all_negative[index] and _is_unclear(each):
            same.setdefault(each.text, []).append(each)
    for places in same.values():
        yield _unclear(view, places)


def _is_unclear(each: TextPoint) -> bool:
    """Whether a negation leaves open what earns the score. A fault that `should_not` names, too, is clear."""
    negation = unclear_negation(each.text)
    if negation is None or negation.kind is not Unclear.OBJECT or each.prompt.should_not is None:
        return negation is not None
    forbidden = (point.text or "" for point in each.prompt.should_not.points())
    return all(negation.words.casefold() not in text.casefold() for text in forbidden)


def _all_negative(view: FileView, first: TextPoint) -> Report | None:
    """A report if an answer that says nothing earns the prompt's full score; `first` is its first negative point."""
    wanted = first.prompt.should.points() if first.prompt.should is not None else ()
    if not all(map(is_negative_point, wanted)):
        return None
    count = len(first.prompt.points())
    message = "the only point of this prompt says" if count == 1 else f"all {count} points of this prompt say"
    return Report(
        _place(view, first.point, *negative_word(first.text)),
        f"{message} what not to do: an empty answer earns the full score",
    )


def _unclear(view: FileView, places: list[TextPoint]) -> Report:
    """The report on one unclear text, which the file contains at all of `places`."""
    first = places[0]
    negation = unclear_negation(first.text)
    assert negation is not None
    severity = _level(negation)
    more = times(places)
    return Report(
        _place(view, first.point, negation.start, negation.end),
        _message(negation) + more,
        why=_why(first.prompt, first.point),
        severity=severity,
        off=severity is Severity.HINT,
        fixes=_everywhere([_plainer(view.in_prompt(each.prompt), each, negation) for each in places]),
    )


def _level(negation: Negation) -> Severity | None:
    """A hint for a second action that follows on the first: then most judges agree."""
    is_hint = negation.kind is Unclear.SCOPE and negation.actions[1] in SEQUELS
    return Severity.HINT if is_hint else None


def _everywhere(fixes: list[tuple[Fix, ...]]) -> tuple[Fix, ...]:
    """One fix that applies the fix of every place; none if a place has no fix."""
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
            return f"“{words}” reads two ways: as advice to the user, or as a rule for the answer itself; say which"
        case Unclear.TWICE:
            if words.endswith(" to"):
                return f"“{words}” means “does”: say what the answer does"
            return f"“{words}” is two negatives: say what the answer does"
        case Unclear.INCOMPLETE:
            return f"“{words}” says what is not enough: say what earns the score"
        case Unclear.NOT_ALL:
            return f"“{words}” may mean “none” or “only some”: say which the answer names"
        case Unclear.SCOPE:
            first, second = negation.actions
            return f"one “not” covers “{first}” and “{second}”: is avoiding one of the two enough?"
        case Unclear.REASON:
            return "“not … because” reads two ways: not at all, or for another reason; say which"
        case Unclear.BUNDLE:
            first, second = negation.actions
            return f"“not {first} … and {second}” forbids one thing and demands another: write two points"


def _why(prompt: Prompt, point: Point) -> str:
    worth = points_of_100(prompt, point)
    return f"Judges disagree on what is absent: {worth} points of 100 depend on how each reads this." if worth else ""


def _plainer(view: PromptView, each: TextPoint, negation: Negation) -> tuple[Fix, ...]:
    """The fix that says the same more clearly; none if only the author knows what is meant."""
    point, text = each.point, each.text
    match negation.kind:
        case Unclear.ADVICE:
            verb = negation.until - len(negation.words.split()[-1])
            words = words_span(view.text, point, negation.begin, verb)
            edits = () if words is None else (TextEdit(words, "Tells the user not to "),)
            return (Fix("the answer should tell the user so", False, edits),) if edits else ()
        case Unclear.TWICE:
            edit = without_both_negatives(text)
            words = None if edit is None else words_span(view.text, point, edit[0], edit[1])
            if edit is None or words is None:
                return ()
            return (Fix("remove both negatives", False, (TextEdit(words, edit[2]),)),)
        case _:
            return ()


def _place(view: FileView, point: Point, start: int, end: int) -> Span:
    return words_place(view.text, point, start, end)


def _double(view: PromptView) -> Iterator[Report]:
    rubric = view.prompt.should_not
    if rubric is None:
        return
    for point in rubric.points():
        words = instruction_in(point.text) if point.text is not None else None
        if point.text is not None and words is not None:
            if lacks_what_is_wanted(point.text, _wanted(view.prompt)):
                continue
            start, end = negative_word(point.text)
            yield Report(
                words_place(view.text, point, start, end),
                f"“{words} …” under `should_not` is inverted: an answer that does as it says loses the score",
                why=_why_double(view.prompt, point),
                fixes=_moved(view, point, point.text),
            )
        elif is_negated(point):
            yield _double_check(view, point)


def _wanted(prompt: Prompt) -> Iterator[str]:
    return (point.text for point in (prompt.should.points() if prompt.should else ()) if point.text is not None)


def _moved(view: PromptView, point: Point, text: str) -> tuple[Fix, ...]:
    """The fix that moves a text to `should`; none if it would be as unclear there."""
    if view.prompt.should is None or unclear_negation(text) is not None:
        return ()
    return moved_to_should(view, point)


def _why_double(prompt: Prompt, point: Point) -> str:
    worth = points_of_100(prompt, point)
    return f"Two negations make a requirement: a good answer loses {worth} points of 100." if worth else ""


def _double_check(view: PromptView, point: Point) -> Report:
    assert point.function is not None
    name = point.function.name
    twin = name.removeprefix("not_")
    fixes = moved_to_should(view, point)
    edit = renamed_function(view.file, point, twin)
    if edit is not None and functions.find(twin) is not None:
        fixes = (Fix(f"use ${twin} here", False, (edit,)), *fixes)
    return Report(
        point.subject_span,
        f"“${name}” under `should_not` is inverted twice: it requires what it forbids",
        why=_why_double(view.prompt, point),
        fixes=fixes,
    )


RULES = (
    Rule(
        code="R004",
        slug="ambiguous-negative",
        severity=Severity.WARNING,
        why="Judges disagree on what is absent, and an answer that says nothing may earn the point.",
        on_file=_ambiguous,
    ),
    Rule(
        code="R005",
        slug="double-negative",
        severity=Severity.WARNING,
        why="Two negations make a requirement: a good answer loses this share of the score.",
        on_prompt=_double,
    ),
)
