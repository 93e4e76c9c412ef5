"""The rules on negations: what is open in `should`, and what is inverted twice in `should_not`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine import functions
from engine.blueprint import Point, Prompt
from engine.rules.checks import is_negated, renamed_function
from engine.rules.edits.moved_points import moved_to_should
from engine.rules.phrases.families import found_in
from engine.rules.phrases.phrase_reports import (
    TextPoint,
    is_negative_point,
    phrase_reports,
    phrase_rule,
    text_points,
    text_points_in_file,
    words_place,
)
from engine.rules.rule import Report
from engine.rules.views import FileView, PromptView
from engine.scoring.shares import points_of_100
from engine.text.diagnostics import Fix
from engine.text.record import replace

_AMBIGUOUS, _DOUBLE = "ambiguous-negative", "double-negative"
_CONTENT = re.compile(r"[^\W\d_]{4,}")
_ORDERS = frozenset({"should", "must", "avoid", "avoids", "refrain", "refrains"})
_SMALL = frozenset({"does", "doesn", "that", "with", "from", "response", "answer", "model", "user", "this", "mention"})
_ENOUGH = 2


def _all_negative(view: PromptView) -> Iterator[Report]:
    """A report if an answer that says nothing earns the prompt's full score."""
    wanted = view.prompt.should.points() if view.prompt.should is not None else ()
    first = next((point for point in wanted if point.text is not None), None)
    if first is not None and _is_all_negative(view.prompt):
        count = len(view.prompt.points())
        message = "the only point of this prompt says" if count == 1 else f"all {count} points of this prompt say"
        found = found_in(first.text or "")[_DOUBLE]
        place = words_place(view.text, first, found.start, found.end)
        yield Report(place, f"{message} what not to do: an empty answer earns the full score")


def _is_all_negative(prompt: Prompt) -> bool:
    return prompt.should is not None and all(map(is_negative_point, prompt.should.points()))


def _ambiguous(view: FileView) -> Iterator[Report]:
    points = (each for each in text_points_in_file(view, _AMBIGUOUS) if not _is_forbidden_too(each))
    yield from phrase_reports(view, _AMBIGUOUS, (each for each in points if not _is_all_negative(each.prompt)))


def _is_forbidden_too(each: TextPoint) -> bool:
    """Whether `should_not` names the fault that could be anything, and says what it is."""
    if each.found.kind.row.name != "vague" or each.prompt.should_not is None:
        return False
    fault = each.found.words_of(each.text).rpartition(" ")[2].casefold()
    return any(fault in (point.text or "").casefold() for point in each.prompt.should_not.points())


def _double(view: PromptView) -> Iterator[Report]:
    inverted = [each for each in text_points(view, _DOUBLE) if not _lacks_what_is_wanted(each)]
    for each, report in zip(inverted, phrase_reports(view.file, _DOUBLE, inverted), strict=False):
        is_clear = view.prompt.should is not None and _AMBIGUOUS not in found_in(each.text)
        yield replace(report, fixes=moved_to_should(view, each.point)) if is_clear else report
    for point in view.prompt.should_not.points() if view.prompt.should_not is not None else ():
        if is_negated(point):
            yield _double_check(view, point)


def _lacks_what_is_wanted(each: TextPoint) -> bool:
    """Whether a text under `should_not` says that what `should` wants is missing: “does not warn of the fall”."""
    words = _content(each.text)
    if each.prompt.should is None or words & _ORDERS:
        return False
    return any(len(words & _content(point.text or "")) >= _ENOUGH for point in each.prompt.should.points())


def _content(text: str) -> frozenset[str]:
    """The longer words of a text, without a plural or a third person."""
    return frozenset(word.removesuffix("s") for word in _CONTENT.findall(text.casefold())) - _SMALL


def _double_check(view: PromptView, point: Point) -> Report:
    assert point.function is not None
    name = point.function.name
    twin = name.removeprefix("not_")
    fixes = moved_to_should(view, point)
    edit = renamed_function(view.file, point, twin)
    if edit is not None and functions.find(twin) is not None:
        fixes = (Fix(f"use ${twin} here", False, (edit,)), *fixes)
    points = points_of_100(view.prompt, point)
    return Report(
        point.subject_span,
        f"“${name}” under `should_not` is inverted twice: it requires what it forbids",
        why=f"Two negations make a requirement: a good answer loses {points} points of 100." if points else "",
        fixes=fixes,
    )


ambiguous_negative = phrase_rule(_AMBIGUOUS, on_prompt=_all_negative, on_file=_ambiguous)
double_negative = phrase_rule(_DOUBLE, on_prompt=_double)
