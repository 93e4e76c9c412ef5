"""# metric-as-point

A measure, or a rule of marking, listed as a point: "ASR: 1.0 if …", "accuracy ≥ 90%", "(rating 10)".

A judge grades how well one answer expresses the criterion, from 0 to 100 in steps of 25. A measure is computed from
many answers, and a rule such as "1.0 if the diagnosis is stated, 0.5 if it is among others" is an instruction for a
marker: no answer expresses it. One judge looks for the diagnosis, another for the numbers. And a rating of a bad answer
counts for it: an answer that meets "contains a slur (rating 10)" earns the point.

Reported once per file, with its count and its places: rules of marking ("1 point if …"), ratings in brackets, scales
("on a scale of 1 to 5", "rate the clarity from 1 to 10"), names of measures with a threshold ("F1 ≥ 0.8"), what is
counted over many answers or judges ("in 9 of 10 runs", "rated 4 by annotators"), and marks at the end ("(2 points)").
Not reported: a measure that the answer states ("explains that F1 is a mean", "states an accuracy of 90%"), the bare
word ("maintains factual accuracy"), and a rating that the prompt asks for. English only.

Bad:

    - id: vignette
      prompt: A man of 60 has a hard, irregular prostate. What is likely?
      should:
        - "Diagnosis: 1.0 if the diagnosis is stated, 0.5 if it is among others"

Good:

    - id: vignette
      prompt: A man of 60 has a hard, irregular prostate. What is likely?
      should:
        - Names cancer of the prostate as the most likely diagnosis

Fix: none. Say what a good answer contains. For marks, give the point a `weight`; a fault belongs under `should_not`.

Documents: The `should` system, Path A: LLM-Based "Fuzzy" Evaluation, "Classification guidelines".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.blueprint import Prompt
from engine.diagnostics import Related, Severity
from engine.patterns import lazy
from engine.rules.language.levels import SCORES, LevelLabel, are_levels, labels_of
from engine.rules.language.scales import Measure, grade_of, level_of, measure_in
from engine.rules.rule import Report, Rule
from engine.rules.source.criterion_signs import Sign
from engine.rules.source.text_points import TextPoint, text_points_in_file, words_place
from engine.rules.views import FileView
from engine.text import in_quotes


def _check(view: FileView) -> Iterator[Report]:
    found: dict[bool, list[tuple[TextPoint, Measure]]] = {}
    for each in text_points_in_file(view, Sign.MEASURE):
        measure = measure_in(each.text)
        if measure is not None and _is_level_of_scale(each):
            continue
        if measure is None or (measure.may_be_asked and _asks_for_a_rating(each.prompt)):
            continue
        if level_of(each.text) is None and grade_of(each.text) is None:
            found.setdefault(measure.marks, []).append((each, measure))
    for marks, places in found.items():
        yield _report(view, places, marks=marks)


def _is_level_of_scale(each: TextPoint) -> bool:
    """Whether a text and another of its prompt are levels, “scores 3 if …”: `scale-as-points` reports them."""
    if not _scores(each.text):
        return False
    scores = [label for point in each.prompt.points() for label in _scores(point.text or "")]
    return len(scores) > 1 and are_levels(scores)


def _scores(text: str) -> list[LevelLabel]:
    return [label for label in labels_of(text) if label.kind == SCORES]


_RATING = lazy(r"\b(?:rat(?:e|ing)|scor(?:e|ing)|grad(?:e|ing)|scale|marks?|points?|stars?|out of|percent)\b|%", re.I)


def _asks_for_a_rating(prompt: Prompt) -> bool:
    """Whether the prompt speaks of ratings, so that an answer may give one."""
    return any(_RATING.search(message.content or "") for message in prompt.messages)


def _report(view: FileView, places: Sequence[tuple[TextPoint, Measure]], *, marks: bool) -> Report:
    """One report on all places of a file, at the first."""
    (first, measure), *others = places
    words = " ".join(first.text[measure.start : measure.end].split())
    prompts = len({each.prompt.index for each, _ in places})
    where = "of this prompt" if prompts == 1 else f"in {prompts} prompts"
    more = f" ({len(places)} points {where})" if others else ""
    if marks:
        message = f"{in_quotes(words)} is only text for the judge{more}: give the point a `weight`"
    else:
        asked = "say what a good answer contains"
        message = f"{in_quotes(words)} is a measure, not something that an answer shows{more}: {asked}"
    return Report(
        words_place(view.text, first.point, measure.start, measure.end),
        message,
        related=tuple(Related(each.point.subject_span, "another measure") for each, _ in others),
    )


RULES = (
    Rule(
        code="R060",
        slug="metric-as-point",
        title="Measure listed as a point",
        severity=Severity.WARNING,
        why="No answer expresses a measure: one judge looks for the content, another for the numbers.",
        on_file=_check,
    ),
)
