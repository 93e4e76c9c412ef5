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

# exclusive-points: Criteria that no answer meets together

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

# same-prompt-other-expectation: The same question with two expectations

The same conversation twice, with two rubrics that no answer meets both.

A model gets the same messages in both prompts and cannot tell which answer is wanted. So it loses points in one of them
whatever it says, and the mean of the two says nothing about the model. Most often the part that differs was left out of
the prompt: the task, the language, the role, the length. Or the question was pasted twice, with two answers.

Two rubrics that differ and can both be met are a `repeated-question`. A conversation that differs in its system prompt,
its messages, its temperature or its tools is fine.

Reported once for each conversation, with both prompts and the two points.

Bad:

    - id: summary-short
      prompt: What is a ballot?
      should:
        - Has at most 40 words
    - id: summary-long
      prompt: What is a ballot?
      should:
        - Has at least 200 words

Good:

    - id: summary-short
      prompt: What is a ballot? Answer in one or two sentences.
      should:
        - Has at most 40 words
    - id: summary-long
      prompt: What is a ballot? Explain it in detail.
      should:
        - Has at least 200 words

Fix: none, because only the author knows what the prompts were to ask. Say in each prompt what is wanted, or remove one.

Documents: Blueprint format, Prompt Fields, `should`; Blueprint repository, What Makes a Good Weval Blueprint?, "change
only one key detail at a time".

# repeated-question: Question that is asked twice

The same conversation twice, with the same rubric or with two that one answer can meet.

Everything that a model gets is the same in both prompts: messages, system prompt, temperature and tools. So the second
one says nothing new. Its answer is the first one again, from the cache, and counts twice in the score of the file.

Nothing is reported with `noCache: true`, where each prompt is another sample of the same question. Two rubrics that no
answer meets both are reported by `same-prompt-other-expectation`.

Bad:

    - id: fee
      prompt: What does a passport cost?
      should:
        - Names the fee
    - id: fee-again
      prompt: What does a passport cost?
      should:
        - Names the office

Good:

    - id: fee
      prompt: What does a passport cost?
      should:
        - Names the fee
        - Names the office

Fix: none. Join the rubrics, or say in each prompt what differs.

Documents: Blueprint format, Prompt Fields, `id`; Blueprint repository, What Makes a Good Weval Blueprint?, "change only
one key detail at a time".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import TypeAlias

from engine.blueprint import ABSENT, Block, Point, Prompt
from engine.rules.checks import question_of
from engine.rules.functions.literal_forms import literal_search
from engine.rules.phrases import shortened
from engine.rules.refusals import cut
from engine.rules.repetition import (
    MOST_PAIRS,
    Amount,
    Demand,
    Shape,
    contradiction_in,
    demands_of,
    literal_in,
    ordered_amounts,
    required_demands,
    shape_of,
)
from engine.rules.rule import FileView, PromptView, Report, file_rule, grouped, prompt_rule
from engine.scoring.explanation import number_text, points_of_100, shares_of
from engine.text import Related, Severity, Span, in_quotes, lazy
from engine.text.spans import LineIndex
from engine.yaml.layout import first_line, place_of

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


@prompt_rule()
def contradiction(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    required = required_demands(prompt)
    if (found := contradiction_in(required)) is not None:
        yield _contradiction(view, *found)
    elif (found := _on_every_path(prompt, required)) is not None:
        yield _contradiction(view, *found, paths=sum(len(rubric.paths) for rubric in prompt.rubrics))
    elif (found := contradiction_in(required, but_for_case=True)) is not None:
        yield _but_for_case(*found)
    elif (texts := _opposite_texts(required)) is not None:
        yield _of_texts(view, *texts)


_Contradiction = tuple[Demand, tuple[Demand, ...]]


def _on_every_path(prompt: Prompt, required: Sequence[Demand]) -> _Contradiction | None:
    """The contradiction on the first path, if there is one on every path, its points beside the required ones."""
    paths = [(path, rubric.block) for rubric in prompt.rubrics for path in rubric.paths]
    if not paths or len(paths) * len(required) > MOST_PAIRS:
        return None
    found = [contradiction_in([*required, *demands_of(path.points, block)]) for path, block in paths]
    return None if None in found else found[0]


def _contradiction(view: PromptView, wanted: Demand, forbidden: Sequence[Demand], *, paths: int = 0) -> Report:
    *earlier, later = _in_source_order(wanted, forbidden)
    shares = shares_of(view.prompt)
    least = min(shares.of(each.point) * each.loss_per_literal for each in (wanted, *forbidden))
    cost = f"at least {number_text(least)} points of 100 are lost whatever it says"
    if paths:
        cost = "the one path is out of reach" if paths == 1 else f"each of the {paths} paths is out of reach like that"
    asked = "forbidden" if later is wanted.point else "asked for"
    return Report(
        later.subject_span,
        f"no answer meets both this and what is {asked} above: {cost}",
        related=tuple(
            Related(point.subject_span, "asked for here" if point is wanted.point else "forbidden here")
            for point in earlier
        ),
    )


def _in_source_order(wanted: Demand, forbidden: Sequence[Demand]) -> list[Point]:
    return sorted((each.point for each in (wanted, *forbidden)), key=lambda point: point.span.start)


def _but_for_case(wanted: Demand, forbidden: Sequence[Demand]) -> Report:
    *earlier, later = _in_source_order(wanted, forbidden)
    return Report(
        later.subject_span,
        "only an answer in another case meets both this and the check above: write the same literal, or drop one",
        why="An answer that writes the word as usual loses one of the two.",
        severity=Severity.WARNING,
        related=tuple(Related(point.subject_span, "the other check") for point in earlier),
    )


def _opposite_texts(required: Sequence[Demand]) -> tuple[Point, Point] | None:
    """The first two texts of which one wants the quoted text that the other forbids; None if there are none."""
    first: dict[tuple[str, str], tuple[Point, bool]] = {}
    for each in required:
        found = None if each.point.text is None else literal_in(each.point.text)
        if found is not None:
            is_wanted = found.is_wanted is each.wanted
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
        f" at least {number_text(least)} points of 100 are lost whatever it says",
        related=(Related(earlier.subject_span, "the other criterion"),),
    )


# exclusive-points


@prompt_rule()
def exclusive_points(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    required = [] if prompt.should is None else required_demands(prompt)
    texts = [each for each in required if each.point.text is not None and each.wanted][:_MOST_TEXTS]
    stated = [(each.point, shape) for each in texts if (shape := shape_of(each)) is not None]
    clashes = ((one, other, left.clash(right)) for (one, left), (other, right) in combinations(stated, 2))
    found = next(((one, other, words) for one, other, words in clashes if words is not None), None)
    if found is not None and _opposite_texts(required) is None:
        one, other, words = found
        both = " and ".join(in_quotes(shortened(each)) for each in words)
        least = number_text(min(map(shares_of(prompt).of, (one, other))))
        yield Report(
            other.subject_span,
            f"no answer meets both {both}: {least} points of 100 are out of reach",
            related=(Related(one.subject_span, "the other criterion"),),
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
                why="The prompt or the criterion says what you do not mean, unless it tests a refusal to obey.",
            )


# checks-exclude


@prompt_rule()
def checks_exclude(view: PromptView) -> Iterator[Report]:
    if not view.checks:
        return
    prompt = view.prompt
    orders = [*_ordered_words(view)]
    required = _shapes(required_demands(prompt))
    groups = [(orders, required)]
    for path in () if prompt.should is None else prompt.should.paths:
        groups.append(([*orders, *required], _shapes(demands_of(path.points, Block.SHOULD))))
    for before, group in groups:
        for at, (span, shape) in enumerate(group):
            for other, one in (each for each in (*before, *group[:at]) if each[1].clash(shape)):
                message = f"no answer {one.words} and also {shape.words}: one of the two always loses points"
                yield Report(span, message, related=(Related(other, "the other one"),))
                break


def _shapes(points: Iterable[Demand]) -> list[tuple[Span, Shape]]:
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


_MOST_COMPARED = 12
"""Prompts with the same conversation that are compared with each other."""
_MOST_PAIRS = 200
"""Pairs of prompts that are compared in a file."""


@file_rule()
def same_prompt_other_expectation(view: FileView) -> Iterator[Report]:
    for group, rivals in _compared_groups(view):
        if rivals is not None:
            yield _report(view, group, *rivals)


@file_rule()
def repeated_question(view: FileView) -> Iterator[Report]:
    for group, rivals in _compared_groups(view):
        if rivals is None and not any(prompt.no_cache for prompt in group):
            times = f"{len(group)} times" if len(group) > 2 else "twice"
            yield Report(
                _head(view, group[1]),
                f"this question is asked {times}: join the rubrics, or say in the prompts what differs",
                related=tuple(Related(_head(view, prompt), "the same question") for prompt in (group[0], *group[2:])),
            )


def _compared_groups(view: FileView) -> Iterator[tuple[list[Prompt], tuple[Prompt, Prompt, _Rivals] | None]]:
    """The prompts of each conversation, two or more, and the first two of them that no answer meets both.

    Prompts with the same id are not compared: that is an error of its own.
    """
    groups = grouped((_conversation(prompt), prompt) for prompt in view.blueprint.prompts if prompt.messages)
    left = _MOST_PAIRS
    for group in groups.values():
        few = group[:_MOST_COMPARED]
        every = ((earlier, later) for number, later in enumerate(few) for earlier in few[:number])
        pairs = [(earlier, later) for earlier, later in every if earlier.id != later.id or not later.id_written]
        left -= len(pairs)
        if left < 0:
            return
        if pairs:
            yield group, next(((*pair, found) for pair in pairs if (found := _rivals(*pair)) is not None), None)


def _conversation(prompt: Prompt) -> object:
    """All that a model is sent because of this prompt, as far as it may differ between prompts."""
    messages = tuple((message.role, message.content) for message in prompt.messages)
    system = None if prompt.system is ABSENT else (prompt.system,)
    tools = (prompt.required_tools, prompt.prohibited_tools, prompt.max_calls)
    return (messages, system, prompt.temperature, tools)


def _report(view: FileView, group: Sequence[Prompt], earlier: Prompt, later: Prompt, found: _Rivals) -> Report:
    line = LineIndex(view.text).position(earlier.id_span.start).line + 1
    times = f", {len(group)} times in this file" if len(group) > 2 else ""
    others = [prompt for prompt in group if prompt is not earlier and prompt is not later]
    return Report(
        _head(view, later),
        f"the same conversation as in line {line} (`{earlier.id}`){times}, and no answer meets both: "
        f"{in_quotes(found[0][1])} there, {in_quotes(found[1][1])} here",
        related=(
            Related(_head(view, earlier), "the same conversation"),
            Related(found[0][0], "wanted there"),
            Related(found[1][0], "wanted here"),
            *(Related(_head(view, prompt), "the same conversation again") for prompt in others),
        ),
    )


def _head(view: FileView, prompt: Prompt) -> Span:
    return first_line(view.text, prompt.id_span if prompt.id_written else prompt.messages[-1].span)


_MOST_POINTS = 16
"""Points of a prompt that are compared."""
_MOST_VARIANTS = 8
"""Combinations of alternative paths of a prompt that are compared."""
_LONGEST = 60
"""Characters of a text that a message quotes."""
_SHORT_IDEAL = 12
"""Words of an ideal that is a value and not a text."""


_IS_IDEAL = lazy(
    r"""\b(?:equivalent|identical|equals?|same|match\w*)\b[^.;]{0,40}?
    \b(?:ideal|reference|golden|gold[-\s]standard|gold|ground[-\s]truth)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""The answer is to be the ideal one, whatever that is."""


_Wanted: TypeAlias = tuple[Span, str]
"""The place of a point, and the words by which it cannot be met."""
_Rivals: TypeAlias = tuple[_Wanted, _Wanted]
"""Two points that no answer meets both, one of an earlier and one of a later prompt."""


def _rivals(earlier: Prompt, later: Prompt) -> _Rivals | None:
    """Two points of which every answer loses one; None if one answer can meet both rubrics for all that is known.

    With alternative paths, each choice of a path in one prompt is incompatible with each in the other.
    """
    first: _Rivals | None = None
    for one, other in product(_variants(earlier), _variants(later)):
        found = _forbidden(one, other) or _opposed(one, other) or _ideals(one, other, earlier, later)
        if found is None:
            return None
        first = first or found
    return first


def _variants(prompt: Prompt) -> list[list[Demand]]:
    """What an answer has to meet: the required points, and with alternative paths those of each in turn."""
    required = [each for rubric in prompt.rubrics for each in demands_of(rubric.required[:_MOST_POINTS], rubric.block)]
    wanted = () if prompt.should is None else prompt.should.paths
    paths = [demands_of(path.points[:_MOST_POINTS], Block.SHOULD) for path in wanted]
    return [[*required, *path] for path in paths[:_MOST_VARIANTS]] or [required]


def _forbidden(one: Sequence[Demand], other: Sequence[Demand]) -> _Rivals | None:
    """What one prompt asks for and the other forbids."""
    for wanting, forbidding in ((one, other), (other, one)):
        wanted = [each for each in wanting if each.wanted]
        found = contradiction_in([*wanted, *(each for each in forbidding if not each.wanted)])
        if found is not None:
            asked, lost = found[0], found[1][0]
            places = _wanted(asked), (lost.point.subject_span, f"not {_shown(lost)}")
            return places if wanting is one else (places[1], places[0])
    return None


def _opposed(one: Sequence[Demand], other: Sequence[Demand]) -> _Rivals | None:
    """Two points that want another shape of the answer."""
    shapes = ([(each, shape) for each in demands if (shape := shape_of(each)) is not None] for demands in (one, other))
    for (first, left), (second, right) in product(*shapes):
        words = left.clash(right)
        if words is not None:
            are_texts = first.point.function is None and second.point.function is None
            return _wanted(first, words[0] if are_texts else ""), _wanted(second, words[1] if are_texts else "")
    return None


def _ideals(one: Sequence[Demand], other: Sequence[Demand], earlier: Prompt, later: Prompt) -> _Rivals | None:
    """Two ideals that differ: both rubrics ask for their own, or each fails what the other prompt looks for."""
    first, second = (" ".join((prompt.ideal or "").split()) for prompt in (earlier, later))
    if not first or not second or first.casefold() == second.casefold():
        return None
    for asked, wanted in product(one, other):
        if all(each.wanted and _IS_IDEAL.search(each.point.text or "") for each in (asked, wanted)):
            return _wanted(asked, first), _wanted(wanted, second)
    if max(len(first.split()), len(second.split())) > _SHORT_IDEAL:
        return None
    failed = next(product(_failed(one, second, first), _failed(other, first, second)), None)
    return None if failed is None else (_wanted(failed[0]), _wanted(failed[1]))


def _failed(points: Sequence[Demand], answer: str, ideal: str) -> Iterator[Demand]:
    """The points that look for the whole of `ideal`, a short value, and do not find it in `answer`."""
    value = ideal.casefold().rstrip(".")
    for each in points if value not in answer.casefold() else ():
        is_literal = each.wanted and len(each.texts) == 1 and literal_search(each.point) is not None
        if is_literal and each.texts[0].strip().casefold() == value:
            yield each


def _wanted(each: Demand, words: str = "") -> _Wanted:
    return each.point.subject_span, cut(words, _LONGEST) if words else _shown(each)


def _shown(each: Demand) -> str:
    call = each.point.function
    if call is None:
        return cut(each.point.text or "", _LONGEST)
    if each.texts:
        return cut(each.texts[0] if len(each.texts) == 1 else f"{each.texts[0]} …", _LONGEST)
    match call.args:
        case [int() | float() as least, int() | float() as most, *_]:
            return f"{least:g} to {most:g} words"
        case _:
            return f"${call.name}"
