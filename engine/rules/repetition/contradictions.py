r"""# contradiction

The same thing required and forbidden: no answer meets both points.

Reported for the same text or check in both blocks, for a required literal of which a part is forbidden ("fiduciary
duty" and `$not_icontains: duty`), for an `_any_of` list of which every literal is forbidden, and for a text in
quotation marks that one point wants and another forbids ("Uses the word 'fiduciary'", "Does not use the word
'fiduciary'"). Every answer loses one of the two: with four equal points, no answer scores more than 75.

A literal that is wanted in any case and forbidden in one case is a warning: only an odd spelling meets both. What texts
mean is not judged.

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

# exclusive-points: Points that no answer meets together

Two points that no answer meets together, or a point that the prompt rules out.

Both are required, and each rules out the other: an answer of at most 50 words does not have at least 100, and one that
begins with "Yes" does not begin with "No". The full score is out of reach. If either will do, use alternative paths.
Texts are compared by amounts, beginnings and ends alone; checks are compared by `checks-exclude`.

A point is reported, too, if the prompt's own `system` or the last message orders another amount ("Answer in at most 50
words") and names no other one: then an answer that obeys loses the point. English only.

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

# checks-exclude: Checks that no answer passes together

Two checks that no answer passes together, or a check that no answer passes that does what the prompt asks in figures.

Both are required, or stand on one path, and each rules out the other: an answer that begins with "Yes" does not begin
with "No", one of at most 50 words does not have 100, one that is JSON does not begin with "Dear". A text of six words
does not fit into three. Every answer loses one of the two, so the full score is out of reach. Alternative paths do not
exclude each other.

A prompt asks in figures if it gives a single number of words for the answer: "in at most 50 words", "write exactly 3
words", "in 20 to 40 words", "in 50 words" (from half of it to half as much again). The last message of the user and the
prompt's own `system` are read, in English only. Nothing is reported if they name another number of words as well, or
speak of parts of the answer ("each", "a title of at most 8 words"), or if the prompt generates several turns.

Points in words are compared by `exclusive-points`.

Bad:

    - id: verdict
      prompt: Is the clause void?
      should:
        - $starts_with: 'Yes'
        - $starts_with: 'No'

Good:

    - id: verdict
      prompt: Is the clause void?
      should:
        - $matches: '^(?:Yes|No)'

Fix: none, because only the author knows which is meant. If either will do, make each a path.

Documents: Blueprint format, Defining Alternative Rubric Paths (OR logic), "a response must satisfy all of them".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from engine.blueprint import Block, Point, Prompt
from engine.rules.checks import is_negated
from engine.rules.phrases.phrase_reports import shortened
from engine.rules.repetition.answer_shapes import Amount, Shape, literal_in, ordered_amounts, shape_of
from engine.rules.repetition.requirements import (
    MOST_PAIRS,
    PointRequirement,
    contradiction_in,
    required_points,
    requirements_in,
)
from engine.rules.rule import Report, prompt_rule
from engine.rules.source.prompt_texts import question_of
from engine.rules.views import PromptView
from engine.scoring.shares import hundredths, points_of_100, shares_of
from engine.text.diagnostics import Related, Severity
from engine.text.patterns import lazy
from engine.text.spans import Span, in_quotes
from engine.yaml.layout import place_of

_MOST_TEXTS = 40
"""How many texts of one prompt are compared."""
_MOST_CHECKS = 200
"""How many checks of a prompt are compared with each other: the pairs are counted by the square."""
_ORDER = lazy(
    r"(?:^|[.?!;:(]|\b(?:write|keep|limit|answer|reply|respond|explain|describe|summari[sz]e|draft|use)\b[^.?!\n]*)\s*\Z"
    r"|\b(?:in|within|using)\b\s*\Z",
    re.IGNORECASE,
)
"""What stands before an amount that the whole answer is to have."""
_ANOTHER = lazy(r"\d[\s-]*words?\b|\b(?:titles?|head\w+|sentences?|paragraphs?|bullets?|lines?|step)\b", re.IGNORECASE)
"""Signs of another number of words, or of one for a part of the answer."""


# contradiction


@prompt_rule("R013", Severity.ERROR, why="Every answer loses one of the two, so no answer can earn the full score.")
def contradiction(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    required = required_points(prompt)
    if prompt.should_not is not None or (prompt.should is not None and any(map(is_negated, prompt.should.points()))):
        found = contradiction_in(required)
        if found is not None:
            yield _contradiction(view, *found)
            return
        by_path = _on_every_path(prompt, required)
        if by_path is not None:
            yield _contradiction(view, *by_path, paths=sum(len(rubric.paths) for rubric in prompt.rubrics))
            return
        if view.checks and (found := contradiction_in(required, but_for_case=True)) is not None:
            yield _but_for_case(*found)
            return
    texts = _opposite_texts(required)
    if texts is not None:
        yield _of_texts(view, *texts)


_Contradiction = tuple[PointRequirement, tuple[PointRequirement, ...]]


def _on_every_path(prompt: Prompt, required: Sequence[PointRequirement]) -> _Contradiction | None:
    """The contradiction on the first path, if there is one on every path, its points beside the required ones."""
    paths = [(path, rubric.block) for rubric in prompt.rubrics for path in rubric.paths]
    if not paths or len(paths) * len(required) > MOST_PAIRS:
        return None
    found = [contradiction_in([*required, *requirements_in(path.points, block)]) for path, block in paths]
    return None if None in found else found[0]


def _contradiction(
    view: PromptView, wanted: PointRequirement, forbidden: Sequence[PointRequirement], *, paths: int = 0
) -> Report:
    *earlier, later = _in_source_order(wanted, forbidden)
    shares = shares_of(view.prompt)
    least = min(shares.of(each.point) * each.loss_per_literal for each in (wanted, *forbidden))
    cost = f"at least {hundredths(least)} points of 100 are lost whatever it says"
    if paths:
        cost = "the one path is" if paths == 1 else f"each of the {paths} paths is"
        cost += " out of reach" if paths == 1 else " out of reach like that"
    asked = "forbidden" if later is wanted.point else "asked for"
    return Report(
        later.subject_span,
        f"no answer meets both this and what is {asked} above: {cost}",
        related=tuple(
            Related(point.subject_span, "asked for here" if point is wanted.point else "forbidden here")
            for point in earlier
        ),
    )


def _in_source_order(wanted: PointRequirement, forbidden: Sequence[PointRequirement]) -> list[Point]:
    return sorted((each.point for each in (wanted, *forbidden)), key=lambda point: point.span.start)


def _but_for_case(wanted: PointRequirement, forbidden: Sequence[PointRequirement]) -> Report:
    *earlier, later = _in_source_order(wanted, forbidden)
    return Report(
        later.subject_span,
        "only an answer in another case meets both this and the check above: write the same literal, or drop one",
        why="An answer that writes the word as usual loses one of the two.",
        severity=Severity.WARNING,
        related=tuple(Related(point.subject_span, "the other check") for point in earlier),
    )


def _opposite_texts(required: Sequence[PointRequirement]) -> tuple[Point, Point] | None:
    """The first two texts of which one wants the quoted text that the other forbids; None if there are none."""
    first: dict[tuple[str, str], tuple[Point, bool]] = {}
    for each in required:
        found = None if each.point.text is None else literal_in(each.point.text)
        if found is not None:
            is_wanted = found.is_wanted is each.requirement.wanted
            earlier, was_wanted = first.setdefault((found.word.casefold(), found.place), (each.point, is_wanted))
            if was_wanted is not is_wanted:
                return earlier, each.point
    return None


def _of_texts(view: PromptView, *points: Point) -> Report:
    earlier, later = sorted(points, key=lambda point: point.span.start)
    least = min(map(shares_of(view.prompt).of, points))
    return Report(
        later.subject_span,
        f"no answer meets both this and {in_quotes(shortened(earlier.text or ''))} above:"
        f" at least {hundredths(least)} points of 100 are lost whatever it says",
        related=(Related(earlier.subject_span, "the other point"),),
    )


# exclusive-points


@prompt_rule(
    "R014",
    Severity.HINT,
    why="All points of one list must be met, so no answer can earn the full score; use paths for alternatives.",
)
def exclusive_points(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    required = [] if prompt.should is None else required_points(prompt)
    texts = [each for each in required if each.point.text is not None and each.requirement.wanted][:_MOST_TEXTS]
    stated = [(each.point, shape) for each in texts if (shape := shape_of(each)) is not None]
    clashes = ((one, other, one[1].clash(other[1])) for one, other in combinations(stated, 2))
    found = next(((one[0], other[0], words) for one, other, words in clashes if words is not None), None)
    if found is not None and _opposite_texts(required) is None:
        one, other, words = found
        both = " and ".join(in_quotes(shortened(each)) for each in words)
        least = hundredths(min(map(shares_of(prompt).of, (one, other))))
        yield Report(
            other.subject_span,
            f"no answer meets both {both}: {least} points of 100 are out of reach",
            related=(Related(one.subject_span, "the other point"),),
        )
        return
    for amount in _orders(prompt, ordered_amounts(_asked(prompt))) if stated else ():
        order = Shape(amount.written, amounts=(amount,))
        point = next((point for point, shape in stated if order.clash(shape) is not None), None)
        if point is not None:
            yield Report(
                point.subject_span,
                f"the prompt says {in_quotes(amount.written)}: an answer that obeys loses"
                f" {points_of_100(prompt, point)} points of 100",
                why="The prompt or the point says what you do not mean, unless the point tests a refusal to obey.",
            )


# checks-exclude


@prompt_rule(
    "R051",
    Severity.WARNING,
    why="All of them must be met, so no answer can earn the full score; use paths for alternatives.",
)
def checks_exclude(view: PromptView) -> Iterator[Report]:
    if not view.checks:
        return
    prompt = view.prompt
    orders = [*_ordered_words(view)]
    required = _shapes(required_points(prompt))
    groups = [(orders, required)]
    for path in () if prompt.should is None else prompt.should.paths:
        groups.append(([*orders, *required], _shapes(requirements_in(path.points, Block.SHOULD))))
    for before, group in groups:
        for at, (span, shape) in enumerate(group):
            for other, one in (each for each in (*before, *group[:at]) if each[1].clash(shape)):
                message = f"no answer {one.words} and also {shape.words}: one of the two always loses points"
                yield Report(span, message, related=(Related(other, "the other one"),))
                break


def _shapes(points: Iterable[PointRequirement]) -> list[tuple[Span, Shape]]:
    shapes = ((each.point, shape_of(each)) for each in points if each.point.text is None)
    return [(point.subject_span, shape) for point, shape in shapes if shape is not None][:_MOST_CHECKS]


def _ordered_words(view: PromptView) -> Iterator[tuple[Span, Shape]]:
    """The number of words that the prompt asks for in figures, if it names a single one."""
    prompt = view.prompt
    for amount in _orders(prompt, [each for each in ordered_amounts(_asked(prompt)) if each.unit == "word"]):
        if any(map(str.isdigit, amount.written)):
            shape = Shape(f"obeys {in_quotes(amount.written)}", amounts=(amount,))
            yield place_of(view.text, amount.written, prompt.span), shape


def _orders(prompt: Prompt, amounts: Sequence[Amount]) -> Iterator[Amount]:
    """The amount that the prompt orders for the whole answer, if it names this one and no other."""
    text = _asked(prompt)
    if len(amounts) != 1 or len(_ANOTHER.findall(text)) > 1 or not all(message.content for message in prompt.messages):
        return
    written = amounts[0].written
    before = text[: text.index(written)].rpartition("\n")[2]
    is_about = written.lower().startswith(("in ", "of "))
    if before.count('"') % 2 == 0 and _ORDER.search(before + (written[:2] if is_about else "")) is not None:
        yield amounts[0]


def _asked(prompt: Prompt) -> str:
    return f"{prompt.system if isinstance(prompt.system, str) else ''}\n{question_of(prompt)}"
