"""# same-prompt-other-expectation

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

# repeated-question

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

from collections import defaultdict
from collections.abc import Iterator, Sequence

from engine.blueprint import ABSENT, Prompt
from engine.diagnostics import Related, Severity
from engine.record import replace
from engine.rules.repetition.incompatible_prompts import Incompatible, incompatible_points
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import first_line
from engine.rules.views import FileView
from engine.text import LineIndex, Span, in_quotes

_MOST_COMPARED = 12
"""Prompts with the same conversation that are compared with each other."""
_MOST_PAIRS = 200
"""Pairs of prompts that are compared in a file."""


def _check(view: FileView) -> Iterator[Report]:
    for group, rivals in _compared_groups(view):
        if rivals is not None:
            yield _report(view, group, *rivals)


def _repeated(view: FileView) -> Iterator[Report]:
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


RULES = (
    Rule(
        code="R050",
        slug="same-prompt-other-expectation",
        title="The same question with two expectations",
        severity=Severity.WARNING,
        why="A model is asked the same twice: it loses points in one of the two prompts whatever it says.",
        on_file=_check,
    ),
    Rule(
        code="R052",
        slug="repeated-question",
        title="Question that is asked twice",
        severity=Severity.WARNING,
        why="Its answers count twice in the score of the file, and each model is asked and paid for twice.",
        on_file=_repeated,
    ),
)
