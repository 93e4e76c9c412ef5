"""# contradiction

The same thing required and forbidden: no answer meets both points.

Reported for the same text or check in both blocks, for a required literal of which a part is forbidden ("fiduciary
duty" and `$not_icontains: duty`), for an `_any_of` list of which every literal is forbidden, and for a text in
quotation marks that one point wants and another forbids ("Uses the word 'fiduciary'", "Does not use the word
'fiduciary'"). Every answer loses one of the two: with four equal points, no answer scores more than 75.

Two other conflicts are warnings. One is a literal that is wanted in any case and forbidden in one case: only an odd
spelling meets both. The other is a text that the prompt's own ideal fails by what anyone can see in it: its number of
words, sentences or items ("At most 50 words", and the ideal has 120), a text in quotation marks that it has or lacks,
how it begins or ends. What texts and ideals mean is not judged.

Nothing is reported if an answer can avoid the conflict by another literal of a list or by another path.

Bad:

    - id: pension
      prompt: What is a trustee's duty?
      should:
        - $contains: fiduciary duty
        - $not_icontains: fiduciary

Good:

    - id: pension
      prompt: What is a trustee's duty?
      should:
        - $contains: fiduciary duty

Fix: none, because only the author knows which of the two is meant.

Documents: Blueprint format, The `should` and `should_not` Rubrics; The `should` system, Part 1, Negative
Point-Functions.

# exclusive-points

Two points that no answer meets together, or a point that the prompt rules out.

Both are required, and each rules out the other: an answer of at most 50 words does not have at least 100, and one that
begins with "Yes" does not begin with "No". The full score is out of reach. If either will do, use alternative paths.
Texts are compared by amounts, beginnings and ends alone; checks are compared by `checks-exclude`.

A point is reported, too, if the system prompt or the last message orders another amount ("Answer in at most 50 words"):
then an answer that obeys loses the point. English only.

Bad:

    - id: lock
      prompt: How do I pick a lock?
      should:
        - Has at most 50 words
        - Has at least 100 words

Good:

    - id: lock
      prompt: How do I pick a lock?
      should:
        - Has at most 50 words
        - Names a locksmith

Fix: none, because only the author knows which is meant. If either will do, make each a path.

Documents: Blueprint format, Defining Alternative Rubric Paths (OR logic), "a response must satisfy all of them".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Prompt
from engine.diagnostics import Related, Severity
from engine.rules.checks import is_negated
from engine.rules.phrases.text_points import shortened
from engine.rules.repetition.exclusion import MOST_PAIRS, PointRequirement, contradiction_in, required_points
from engine.rules.repetition.ideal_forms import FailedByIdeal, failed_by_ideal
from engine.rules.repetition.requirements import requirement_of
from engine.rules.repetition.stated_forms import (
    Conflict,
    disobeying,
    exclusive_texts,
    forbidden_text,
    required_texts,
)
from engine.rules.rule import Report, Rule
from engine.rules.views import PromptView
from engine.scoring.shares import hundredths, points_of_100, shares_of
from engine.text import in_quotes


def _contradictions(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    if prompt.should_not is not None or _has_negated_check(prompt):
        required = required_points(prompt)
        reports = list(_of_checks(view, required))
        if not reports and view.checks and (case := contradiction_in(required, but_for_case=True)) is not None:
            reports = [_but_for_case(view, *case)]
        if reports:
            yield from reports
            return
    texts = required_texts(prompt)
    conflict = forbidden_text(texts)
    if conflict is not None:
        yield _of_texts(view, conflict)
    elif prompt.ideal is not None:
        yield from (_by_ideal(view, failed) for failed in failed_by_ideal(texts, prompt.ideal))


def _of_checks(view: PromptView, required: Sequence[PointRequirement]) -> Iterator[Report]:
    """Reports on equal texts and checks that are required and forbidden, or on each path."""
    prompt = view.prompt
    found = contradiction_in(required)
    if found is not None:
        yield _contradiction(view, *found)
        return
    alternatives = sum(len(rubric.paths) for rubric in prompt.rubrics)
    if alternatives * len(required) > MOST_PAIRS:
        return
    paths = [
        [*required, *(PointRequirement(point, requirement_of(point, rubric.block)) for point in path.points)]
        for rubric in prompt.rubrics
        for path in rubric.paths
    ]
    by_path = [contradiction_in(together) for together in paths]
    if by_path and by_path[0] is not None and None not in by_path:
        yield _contradiction(view, *by_path[0], paths=len(paths))


def _has_negated_check(prompt: Prompt) -> bool:
    return prompt.should is not None and any(map(is_negated, prompt.should.points()))


def _contradiction(
    view: PromptView, wanted: PointRequirement, forbidden: Sequence[PointRequirement], *, paths: int = 0
) -> Report:
    points = sorted((wanted.point, *(each.point for each in forbidden)), key=lambda point: point.span.start)
    *earlier, later = points
    shares = shares_of(view.prompt)
    least = min(shares.of(each.point) * each.loss_per_literal for each in (wanted, *forbidden))
    cost = f"at least {hundredths(least)} points of 100 are lost whatever it says" if not paths else ""
    message = f"no answer meets both this and what is {'forbidden' if later is wanted.point else 'asked for'} above"
    if paths == 1:
        cost = "the one path is out of reach"
    elif paths:
        cost = f"each of the {paths} paths is out of reach like that"
    return Report(
        later.subject_span,
        f"{message}: {cost}",
        related=tuple(
            Related(point.subject_span, "asked for here" if point is wanted.point else "forbidden here")
            for point in earlier
        ),
    )


def _of_texts(view: PromptView, conflict: Conflict) -> Report:
    earlier, later = sorted((conflict.one, conflict.other), key=lambda each: each.point.span.start)
    shares = shares_of(view.prompt)
    least = min(shares.of(earlier.point), shares.of(later.point))
    return Report(
        later.point.subject_span,
        f"no answer meets both this and {in_quotes(shortened(earlier.text))} above:"
        f" at least {hundredths(least)} points of 100 are lost whatever it says",
        related=(Related(earlier.point.subject_span, "the other point"),),
    )


def _but_for_case(view: PromptView, wanted: PointRequirement, forbidden: Sequence[PointRequirement]) -> Report:
    points = sorted((wanted.point, *(each.point for each in forbidden)), key=lambda point: point.span.start)
    return Report(
        points[-1].subject_span,
        "only an answer in another case meets both this and the check above: write the same literal, or drop one",
        why="An answer that writes the word as usual loses one of the two.",
        severity=Severity.WARNING,
        related=tuple(Related(point.subject_span, "the other check") for point in points[:-1]),
    )


def _by_ideal(view: PromptView, failed: FailedByIdeal) -> Report:
    worth = points_of_100(view.prompt, failed.point)
    return Report(
        failed.point.subject_span,
        f"the prompt's own ideal {failed.instead} and fails {in_quotes(shortened(failed.words))}: "
        "change one of the two",
        why=f"The answer that you call ideal loses {worth} points of 100." if worth else "",
        severity=Severity.WARNING,
    )


def _exclusive(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    if prompt.should is None:
        return
    texts = required_texts(prompt)
    found = exclusive_texts(texts)
    if found is not None and forbidden_text(texts) is None:
        both = " and ".join(in_quotes(shortened(each)) for each in (found.one_words, found.other_words))
        shares = shares_of(prompt)
        least = hundredths(min(shares.of(found.one.point), shares.of(found.other.point)))
        yield Report(
            found.other.point.subject_span,
            f"no answer meets both {both}: {least} points of 100 are out of reach",
            related=(Related(found.one.point.subject_span, "the other point"),),
        )
        return
    order = disobeying(texts, prompt)
    if order is not None:
        worth = points_of_100(prompt, order.point)
        where = "system prompt" if order.is_of_system else "prompt"
        yield Report(
            order.point.subject_span,
            f"the {where} says {in_quotes(shortened(order.sentence))}: "
            f"an answer that obeys loses {worth} points of 100",
            why="Either the prompt or the point says what you do not mean, unless the point tests a refusal to obey.",
        )


RULES = (
    Rule(
        code="R013",
        slug="contradiction",
        severity=Severity.ERROR,
        why="Every answer loses one of the two, so no answer can earn the full score.",
        on_prompt=_contradictions,
    ),
    Rule(
        code="R014",
        slug="exclusive-points",
        title="Points that no answer meets together",
        severity=Severity.HINT,
        why="All points of one list must be met, so no answer can earn the full score; use paths for alternatives.",
        on_prompt=_exclusive,
    ),
)
