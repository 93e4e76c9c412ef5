"""# same-prompt-other-expectation: The same question with two expectations

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
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

from engine.blueprint import ABSENT, Block, Prompt
from engine.rules.functions.literal_forms import literal_search
from engine.rules.repetition.answer_shapes import shape_of
from engine.rules.repetition.requirements import PointRequirement, contradiction_in, requirements_in
from engine.rules.rule import Report, file_rule
from engine.rules.views import FileView
from engine.text.diagnostics import Related, Severity
from engine.text.patterns import lazy
from engine.text.record import Record, replace
from engine.text.spans import LineIndex, Span, in_quotes
from engine.yaml.layout import first_line

_MOST_COMPARED = 12
"""Prompts with the same conversation that are compared with each other."""
_MOST_PAIRS = 200
"""Pairs of prompts that are compared in a file."""


@file_rule(
    "R050",
    Severity.WARNING,
    why="A model is asked the same twice: it loses points in one of the two prompts whatever it says.",
)
def same_prompt_other_expectation(view: FileView) -> Iterator[Report]:
    for group, rivals in _compared_groups(view):
        if rivals is not None:
            yield _report(view, group, *rivals)


@file_rule(
    "R052",
    Severity.WARNING,
    why="Its answers count twice in the score of the file, and each model is asked and paid for twice.",
)
def repeated_question(view: FileView) -> Iterator[Report]:
    for group, rivals in _compared_groups(view):
        if rivals is None and not any(prompt.no_cache for prompt in group):
            times = f"{len(group)} times" if len(group) > 2 else "twice"
            yield Report(
                _head(view, group[1]),
                f"this question is asked {times}: join the rubrics, or say in the prompts what differs",
                related=tuple(Related(_head(view, prompt), "the same question") for prompt in (group[0], *group[2:])),
            )


def _compared_groups(view: FileView) -> Iterator[tuple[list[Prompt], tuple[Prompt, Prompt, Incompatible] | None]]:
    """The prompts of each conversation, and the first two of them that no answer meets both."""
    compared = 0
    for group in _same_conversations(view):
        pairs = [*_pairs(group)]
        compared += len(pairs)
        if compared > _MOST_PAIRS:
            return
        found = ((*pair, each) for pair in pairs if (each := _compared(view, *pair)) is not None)
        if pairs:
            yield group, next(found, None)


def _compared(view: FileView, earlier: Prompt, later: Prompt) -> Incompatible | None:
    """The result of `incompatible_points`, which is remembered as long as neither prompt changes."""
    starts = (earlier.span.start, later.span.start)

    def find() -> Incompatible | None:
        return _moved(incompatible_points(earlier, later), -starts[0], -starts[1])

    return _moved(view.memory.of(_compared, (earlier, later), find), *starts)


def _moved(found: Incompatible | None, earlier: int, later: int) -> Incompatible | None:
    """`found` with its two places moved."""
    if found is None:
        return None
    return replace(found, earlier=found.earlier.shifted(earlier), later=found.later.shifted(later))


def _same_conversations(view: FileView) -> list[list[Prompt]]:
    """The prompts with the same conversation, two or more each, in source order."""
    prompts = view.blueprint.prompts
    by_last: defaultdict[str, list[Prompt]] = defaultdict(list)
    for prompt in prompts:
        if prompt.messages:
            by_last[prompt.messages[-1].content or ""].append(prompt)
    groups: defaultdict[object, list[Prompt]] = defaultdict(list)
    for same_end in by_last.values():
        for prompt in same_end if len(same_end) > 1 else ():
            groups[_conversation(prompt)].append(prompt)
    return [group for group in groups.values() if len(group) > 1]


def _conversation(prompt: Prompt) -> object:
    """All that a model is sent because of this prompt, as far as it may differ between prompts."""
    messages = tuple((message.role, message.content) for message in prompt.messages)
    system = None if prompt.system is ABSENT else (prompt.system,)
    tools = (prompt.required_tools, prompt.prohibited_tools, prompt.max_calls)
    return (messages, system, prompt.temperature, tools)


def _pairs(group: Sequence[Prompt]) -> Iterator[tuple[Prompt, Prompt]]:
    """The pairs of prompts, but for those with the same id: that is an error of its own."""
    compared = group[:_MOST_COMPARED]
    for number, later in enumerate(compared):
        yield from ((earlier, later) for earlier in compared[:number] if earlier.id != later.id or not later.id_written)


def _report(view: FileView, group: Sequence[Prompt], earlier: Prompt, later: Prompt, found: Incompatible) -> Report:
    line = LineIndex(view.text).position(earlier.id_span.start).line + 1
    times = f", {len(group)} times in this file" if len(group) > 2 else ""
    others = [prompt for prompt in group if prompt is not earlier and prompt is not later]
    return Report(
        _head(view, later),
        f"the same conversation as in line {line} (`{earlier.id}`){times}, and no answer meets both: "
        f"{in_quotes(found.earlier_words)} there, {in_quotes(found.later_words)} here",
        related=(
            Related(_head(view, earlier), "the same conversation"),
            Related(found.earlier, "wanted there"),
            Related(found.later, "wanted here"),
            *(Related(_head(view, prompt), "the same conversation again") for prompt in others),
        ),
    )


def _head(view: FileView, prompt: Prompt) -> Span:
    return first_line(view.text, prompt.id_span if prompt.id_written else prompt.messages[-1].span)


_MOST_POINTS = 16
"""Points of a prompt that are compared."""
_MOST_VARIANTS = 8
"""Combinations of alternative paths of a prompt that are compared."""
_MOST_WORDS = 60
_SHORT_IDEAL = 12
"""Words of an ideal that is a value and not a text."""


_IS_IDEAL = lazy(
    r"""\b(?:equivalent|identical|equals?|same|match\w*)\b[^.;]{0,40}?
    \b(?:ideal|reference|golden|gold[-\s]standard|gold|ground[-\s]truth)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""The answer is to be the ideal one, whatever that is."""


class Incompatible(Record):
    """Two points that no answer meets both, one of each prompt, and the words of each that say so."""

    earlier: Span
    later: Span
    earlier_words: str
    later_words: str


def incompatible_points(earlier: Prompt, later: Prompt) -> Incompatible | None:
    """Two points of which every answer loses one; None if one answer can meet both rubrics for all that is known.

    With alternative paths, each choice of a path in one prompt is incompatible with each in the other.
    """
    first: Incompatible | None = None
    for one, other in product(_variants(earlier), _variants(later)):
        found = _of_points(one, other, earlier, later)
        if found is None:
            return None
        first = first or found
    return first


def _variants(prompt: Prompt) -> list[list[PointRequirement]]:
    """What an answer has to meet: the required points, and with alternative paths those of each in turn."""
    required = [
        each for rubric in prompt.rubrics for each in requirements_in(rubric.required[:_MOST_POINTS], rubric.block)
    ]
    wanted = () if prompt.should is None else prompt.should.paths
    paths = [requirements_in(path.points[:_MOST_POINTS], Block.SHOULD) for path in wanted]
    return [[*required, *path] for path in paths[:_MOST_VARIANTS]] or [required]


def _of_points(
    one: Sequence[PointRequirement], other: Sequence[PointRequirement], earlier: Prompt, later: Prompt
) -> Incompatible | None:
    return _forbidden(one, other) or _opposed(one, other) or _ideals(one, other, earlier, later)


def _forbidden(one: Sequence[PointRequirement], other: Sequence[PointRequirement]) -> Incompatible | None:
    """What one prompt asks for and the other forbids."""
    for wanting, forbidding, swapped in ((one, other, False), (other, one, True)):
        wanted = [each for each in wanting if each.requirement.wanted]
        unwanted = [each for each in forbidding if not each.requirement.wanted]
        found = contradiction_in([*wanted, *unwanted])
        if found is not None:
            asked, lost = found[0], found[1][0]
            places = [(asked.point.subject_span, _shown(asked)), (lost.point.subject_span, f"not {_shown(lost)}")]
            (a, first), (b, second) = reversed(places) if swapped else places
            return Incompatible(a, b, first, second)
    return None


def _opposed(one: Sequence[PointRequirement], other: Sequence[PointRequirement]) -> Incompatible | None:
    """Two points that want another shape of the answer."""
    for first, second in product(one, other):
        left, right = shape_of(first), shape_of(second)
        words = None if left is None or right is None else left.clash(right)
        if words is not None:
            are_texts = first.point.function is None and second.point.function is None
            shown = map(_short, words) if are_texts else (_shown(first), _shown(second))
            return Incompatible(first.point.subject_span, second.point.subject_span, *shown)
    return None


def _ideals(
    one: Sequence[PointRequirement], other: Sequence[PointRequirement], earlier: Prompt, later: Prompt
) -> Incompatible | None:
    """Two ideals that differ: both rubrics ask for their own, or each fails what the other prompt looks for."""
    first, second = (" ".join((prompt.ideal or "").split()) for prompt in (earlier, later))
    if not first or not second or first.casefold() == second.casefold():
        return None
    for asked, wanted in product(one, other):
        if all(each.requirement.wanted and _IS_IDEAL.search(each.point.text or "") for each in (asked, wanted)):
            return Incompatible(asked.point.subject_span, wanted.point.subject_span, _short(first), _short(second))
    if max(len(first.split()), len(second.split())) > _SHORT_IDEAL:
        return None
    found = [(asked, wanted) for asked in _failed(one, second, first) for wanted in _failed(other, first, second)]
    if not found:
        return None
    asked, wanted = found[0]
    return Incompatible(asked.point.subject_span, wanted.point.subject_span, _shown(asked), _shown(wanted))


def _failed(points: Sequence[PointRequirement], answer: str, ideal: str) -> Iterator[PointRequirement]:
    """The points that look for the whole of `ideal`, a short value, and do not find it in `answer`."""
    value = ideal.casefold().rstrip(".")
    if value not in answer.casefold():
        yield from (each for each in points if _literal(each).strip().casefold() == value)


def _literal(each: PointRequirement) -> str:
    """The one text that a wanted check looks for, "" if it does not."""
    call = each.point.function
    is_literal = each.requirement.wanted and literal_search(each.point) is not None
    return call.args if call is not None and is_literal and isinstance(call.args, str) else ""


def _shown(each: PointRequirement) -> str:
    call = each.point.function
    if call is None:
        return _short(each.point.text or "")
    texts = list(call.texts())
    if texts:
        return _short(texts[0] if len(texts) == 1 else f"{texts[0]} …")
    match call.args:
        case [int() | float() as least, int() | float() as most, *_]:
            return f"{least:g} to {most:g} words"
        case _:
            return f"${call.name}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_WORDS else f"{line[: _MOST_WORDS - 1].rstrip()}…"
