"""# vacuous-point: Criteria that an empty answer meets

The share of the score that an empty answer earns.

The checks are run on an empty answer. It meets `$not_contains: x`, `$word_count_between: [0, 80]`, and a pattern that
matches the empty text. Such points are given away: if three of four points are of that kind, every answer starts at 75,
and only the last 25 points distinguish a good answer from none. From 50 points of 100 on this is a warning, and an
error if an empty answer earns all 100. Below that, it is the normal cost of a negative check.

An empty answer also meets texts under `should_not`, if judges find nothing that the texts name. That is how the block
works, so such texts count in the figure but raise no warning: if no check is earned, the rule reports a hint only if
the texts are more than half of the score. The same is true of tool calls that must not be made. Texts that describe
silence itself ("refuses", "lacks a source") count as not earned; so do texts under `should`, scripts that read earlier
turns, which do not exist yet, and scripts that test the text of the answer, unless an empty answer earns all 100.

One negative check beside texts is a hint at most, unless it is worth more than half of the score. If the prompt itself
names what the check forbids, it is no problem. Nor is a rubric that asks for silence: `$word_count_between: [0, 0]`
gives a word less than nothing.

Bad:

    - id: slogan
      prompt: Write a slogan for a bakery.
      should:
        - Names bread
        - $word_count_between: [0, 8]
        - $not_icontains: cheap
        - $not_icontains: best

Good:

    - id: slogan
      prompt: Write a slogan for a bakery.
      should:
        - Names bread
        - Rhymes
        - $word_count_between: [2, 8]

Fix: none, because only the author knows what a good answer says. Add points that an answer must say something for, or
give such points more weight.

Documents: Blueprint format, Understanding the Aggregation Formula 2 and 4; The `should` system, Part 1, Negative
Point-Functions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from engine import functions
from engine.blueprint import FunctionCall, Point, Prompt
from engine.rules import phrases
from engine.rules.checks import is_negated, renamed, sent_text
from engine.rules.functions.literal_forms import wanted_texts
from engine.rules.rubric_edits import moved_to_should
from engine.rules.rule import FileView, PromptView, Report, prompt_rule
from engine.rules.source.path_lists import has_competing_paths
from engine.scoring.assessment import PlacedPoint
from engine.scoring.explanation import number_text, points_of_100
from engine.scoring.sums import PointExtent, groups_of, place
from engine.text import Fix, Record, Related, Severity, lazy, replace
from engine.yaml.layout import first_line

# What is open in `should`, and what is inverted twice in `should_not`


_AMBIGUOUS, _DOUBLE = "ambiguous-negative", "double-negative"
_CONTENT = re.compile(r"[^\W\d_]{4,}")
_ORDERS = frozenset({"should", "must", "avoid", "avoids", "refrain", "refrains"})
_SMALL = frozenset({"does", "doesn", "that", "with", "from", "response", "answer", "model", "user", "this", "mention"})
_ENOUGH = 2


def _all_negative(view: PromptView) -> Iterator[Report]:
    """A report if an answer that says nothing earns the prompt's full score."""
    wanted = view.prompt.should.points() if view.prompt.should is not None else ()
    first = next((point for point in wanted if point.text is not None), None)
    if first is not None and _are_all_negative(view.prompt):
        count = len(view.prompt.points())
        message = "the only criterion of this prompt says" if count == 1 else f"all {count} criteria of this prompt say"
        found = phrases.found_in(first.text or "")[_DOUBLE]
        place = phrases.words_place(view.text, first, found.start, found.end)
        yield Report(place, f"{message} what not to do: an empty answer earns the full score")


def _are_all_negative(prompt: Prompt) -> bool:
    return prompt.should is not None and all(map(phrases.is_negative_point, prompt.should.points()))


def _ambiguous(view: FileView) -> Iterator[Report]:
    points = (each for each in phrases.text_points_in_file(view, _AMBIGUOUS) if not _is_forbidden_too(each))
    yield from phrases.phrase_reports(view, _AMBIGUOUS, (each for each in points if not _are_all_negative(each.prompt)))


def _is_forbidden_too(each: phrases.TextPoint) -> bool:
    """Whether `should_not` names the fault that could be anything, and says what it is."""
    if each.found.kind.row.name != "vague" or each.prompt.should_not is None:
        return False
    fault = each.found.words_of(each.text).rpartition(" ")[2].casefold()
    return any(fault in (point.text or "").casefold() for point in each.prompt.should_not.points())


def _double(view: PromptView) -> Iterator[Report]:
    found = tuple(phrases.text_points(view, _DOUBLE))
    should = view.prompt.should.points() if found and view.prompt.should is not None else ()
    wanted = frozenset(map(_content, {point.text or "" for point in should}))
    inverted = [each for each in found if not _lacks_one(each.text, wanted)]
    for each, report in zip(inverted, phrases.phrase_reports(view.file, _DOUBLE, inverted), strict=False):
        is_clear = view.prompt.should is not None and _AMBIGUOUS not in phrases.found_in(each.text)
        yield replace(report, fixes=moved_to_should(view, each.point)) if is_clear else report
    for point in view.prompt.should_not.points() if view.prompt.should_not is not None else ():
        if is_negated(point):
            yield _double_check(view, point)


def _lacks_one(text: str, wanted: Collection[frozenset[str]]) -> bool:
    """Whether a text under `should_not` says that what `should` wants is missing: “does not warn of the fall”."""
    words = _content(text)
    return not words & _ORDERS and any(len(words & content) >= _ENOUGH for content in wanted)


def _content(text: str) -> frozenset[str]:
    """The longer words of a text, without a plural or a third person."""
    return frozenset(word.removesuffix("s") for word in _CONTENT.findall(text.casefold())) - _SMALL


def _double_check(view: PromptView, point: Point) -> Report:
    name = point.call.name
    twin = name.removeprefix("not_")
    edits = () if functions.find(twin) is None else renamed(view.file, point, twin)
    fixes = (Fix(f"use ${twin} here", False, edits), *moved_to_should(view, point))
    points = points_of_100(view.prompt, point)
    return Report(
        point.subject_span,
        f"“${name}” under `should_not` is inverted twice: it requires what it forbids",
        why=f"Two negations make a requirement: a good answer loses {points} points of 100." if points else "",
        fixes=fixes,
    )


ambiguous_negative = phrases.phrase_rule(_AMBIGUOUS, on_prompt=_all_negative, on_file=_ambiguous)
double_negative = phrases.phrase_rule(_DOUBLE, on_prompt=_double)


_MOST_RELATED = 4
_WORTH_REPORTING = 0.5

_MET_BY_EMPTY = lazy(
    r"\b(?:irrelevant|unrelated|refus\w+|declin\w+|fail\w*|lack\w*|omit\w*|ignor\w+|neglect\w*|miss\w*|without|only|no|not"
    r"|never|cannot|empty|incomplete|vague\w*|evasive\w*|evad\w+|avoid\w*|dismiss\w*|short|brief)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words for what a bad answer fails to do, and an empty answer fails to do too."""
_SHORTEST = "a", "1"
_SCRIPTS = {"js", "expr"}
_TURNS = lazy(r"\bcontext\b")
_ANSWER = lazy(r"\b(?:r|response|text|answer)\b")


class _Earned(Record):
    """What an empty answer earns of one point: `extent` 0–1 after inversion; `is_check` if a check makes it certain.

    `is_tested`: a script tests the text of the answer.
    """

    placed: PlacedPoint
    extent: float
    is_check: bool
    is_tested: bool = False


def _score(earned: Sequence[_Earned], *, texts: bool = True) -> float:
    """The score, 0–1, of what is earned; without `texts`, a text counts as not earned."""
    points = ((one.extent if texts or one.is_check else 0.0, one.placed) for one in earned)
    extents = (PointExtent(extent, placed.point.multiplier, placed.path_id) for extent, placed in points)
    return round(groups_of(extents).score or 0.0, 9)


@prompt_rule(needs_javascript=True)
def vacuous_point(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    has_checks = any(point.function is not None for point in prompt.points())
    wanted = () if prompt.should is None else tuple(prompt.should.points())
    if (
        view.javascript is None
        or not (has_checks or prompt.should_not)
        or has_competing_paths(prompt)
        or (any(point.text is not None for point in wanted) and all(map(phrases.is_negative_point, wanted)))
    ):
        return  # where all of `should` is negative and some of it text, `ambiguous-negative` reports that
    earned = list(_earned_by_empty_answer(view))
    if _score(earned) < 1:
        earned = [replace(one, extent=0.0) if one.is_tested else one for one in earned]
    share, certain = _score(earned), _score(earned, texts=False)
    level = _level(share, certain, has_checks=any(one.is_check for one in earned))
    if level is Severity.WARNING and certain <= 0.5 and (lone := _lone_negative_check(view, earned)) is not None:
        level = None if share == certain and _is_asked_for(prompt, lone) else Severity.HINT
    if level is not None and not _wants_silence(view):
        yield _report(view, earned, share, certain, level)


def _lone_negative_check(view: PromptView, earned: Sequence[_Earned]) -> FunctionCall | None:
    """The one check that is given away, if it forbids something and stands beside points in words."""
    met = [one.placed for one in earned if one.extent > 0 and one.is_check]
    has_texts = any(point.text is not None for point in view.prompt.points())
    if has_texts and len(met) == 1 and is_negated(met[0].point) is not met[0].inverted:
        return met[0].point.function
    return None


def _is_asked_for(prompt: Prompt, call: FunctionCall) -> bool:
    """Whether the prompt names something that the check forbids."""
    asked = sent_text(prompt).lower()
    return any(text.lower() in asked for text in wanted_texts(call, ""))


def _wants_silence(view: PromptView) -> bool:
    """Whether a check prefers an empty answer to any other, as far as the shortest ones tell."""
    found = zip(*(_extents(view, each) for each in ("", *_SHORTEST)), strict=True)
    return not view.prompt.ideal and any(silent > max(spoken) for silent, *spoken in found)


def _extents(view: PromptView, response: str) -> list[float]:
    """What the checks give a response, 0–1 after inversion."""
    from engine.evaluation.point_assessment import assess_functions

    assert view.javascript is not None
    return [each.extent or 0.0 for each in assess_functions(view.prompt, response, view.javascript)]


def _earned_by_empty_answer(view: PromptView) -> Iterator[_Earned]:
    checked = iter(_extents(view, ""))
    for placed in place(view.prompt):
        text, call = placed.point.text, placed.point.function
        if call is None:
            yield _Earned(placed, float(placed.inverted and not _MET_BY_EMPTY.search(text or "")), False)
            continue
        extent = next(checked)
        scripts = tuple(call.texts()) if call.name in _SCRIPTS else ()
        known = not any(_TURNS.search(script) for script in scripts)
        is_tested = any(_ANSWER.search(script) for script in scripts)
        is_check = known and not call.name.startswith("tool_")
        yield _Earned(placed, extent if known else 0.0, is_check, is_tested)


def _level(share: float, certain: float, *, has_checks: bool) -> Severity | None:
    """The level of the report; None for no report. Only what is certain makes it more than a hint."""
    if share >= 1 and has_checks:
        return Severity.ERROR
    if certain <= 0:
        return Severity.HINT if share > 0.5 else None
    if share < _WORTH_REPORTING:
        return None
    return Severity.WARNING if certain >= 0.5 else Severity.HINT


def _report(view: PromptView, earned: Sequence[_Earned], share: float, certain: float, level: Severity) -> Report:
    met = [one for one in earned if one.extent > 0]
    first, *others = [first_line(view.text, one.placed.point.subject_span) for one in met]
    has_texts = any(one.placed.point.function is None for one in met)
    judged = ", if judges find nothing that is forbidden" if has_texts else ""
    if share >= 1:
        message = "the full score here without saying anything"
    else:
        count = f"{len(met)} of {len(earned)} criteria" if len(earned) > 1 else "its one criterion"
        are = "is" if len(met) == 1 else "are"
        message = f"{number_text(share)} points of 100 here: {count} {are} met, in full or in part, by saying nothing"
    left = number_text(1 - share)
    return Report(
        first,
        f"an empty answer earns {message}{judged}",
        why=f"Every answer earns what an empty one earns, so {left} points of 100 are left to tell good from bad."
        if share < 1
        else "An answer that says nothing scores 100, so the score says nothing about the others.",
        severity=level,
        related=tuple(Related(span, "met by an empty answer too") for span in others[:_MOST_RELATED]),
    )
