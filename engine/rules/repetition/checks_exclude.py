r"""# checks-exclude

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
from collections.abc import Iterable, Iterator

from engine.blueprint import Block
from engine.diagnostics import Related, Severity
from engine.patterns import lazy
from engine.rules.repetition.exclusion import PointRequirement, required_points
from engine.rules.repetition.exclusive_checks import Shape, shape_of
from engine.rules.repetition.requirements import requirement_of
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import place_of
from engine.rules.source.prompt_texts import question_of
from engine.rules.views import PromptView
from engine.rules.wanted_amounts import ordered_amounts
from engine.text import Span, in_quotes

_MOST_COMPARED = 200
"""How many checks of a prompt are compared with each other: the pairs are counted by the square."""
_ORDER = lazy(
    r"(?:^|[.?!;:(]|\b(?:write|keep|limit|answer|reply|respond|explain|describe|summari[sz]e|draft|use)\b[^.?!\n]*)\s*\Z"
    r"|\b(?:in|within|using)\b\s*\Z",
    re.IGNORECASE,
)
"""What stands before an amount that the whole answer is to have."""
_ANOTHER = lazy(r"\d[\s-]*words?\b|\b(?:titles?|head\w+|sentences?|paragraphs?|bullets?|lines?|step)\b", re.IGNORECASE)
"""Signs of another number of words, or of one for a part of the answer."""


def _check(view: PromptView) -> Iterator[Report]:
    if not view.checks:
        return
    prompt = view.prompt
    orders = [*_orders(view)]
    required = _wanted(required_points(prompt))
    groups = [(orders, required)]
    for path in () if prompt.should is None else prompt.should.paths:
        points = (PointRequirement(point, requirement_of(point, Block.SHOULD)) for point in path.points)
        groups.append(([*orders, *required], _wanted(points)))
    for before, group in groups:
        for at, (span, shape) in enumerate(group):
            for other, one in (each for each in (*before, *group[:at]) if each[1].excludes(shape)):
                message = f"no answer {one.words} and also {shape.words}: one of the two always loses points"
                yield Report(span, message, related=(Related(other, "the other one"),))
                break


def _wanted(points: Iterable[PointRequirement]) -> list[tuple[Span, Shape]]:
    shapes = ((each.point, shape_of(each)) for each in points)
    return [(point.subject_span, shape) for point, shape in shapes if shape is not None][:_MOST_COMPARED]


def _orders(view: PromptView) -> Iterator[tuple[Span, Shape]]:
    """The number of words that the prompt asks for in figures, if it names a single one."""
    prompt = view.prompt
    text = f"{prompt.system if isinstance(prompt.system, str) else ''}\n{question_of(prompt)}"
    amounts = [each for each in ordered_amounts(text) if each.unit == "word"]
    if len(amounts) != 1 or len(_ANOTHER.findall(text)) > 1 or not all(message.content for message in prompt.messages):
        return
    written = amounts[0].written
    before = text[: text.index(written)].rpartition("\n")[2]
    is_about = written.lower().startswith(("in ", "of "))
    in_figures = any(map(str.isdigit, written)) and before.count('"') % 2 == 0
    if not in_figures or _ORDER.search(before + (written[:2] if is_about else "")) is None:
        return
    shape = Shape(f"obeys {in_quotes(written)}", least=amounts[0].least, most=amounts[0].most)
    yield place_of(view.text, written, prompt.span), shape


RULES = (
    Rule(
        code="R051",
        slug="checks-exclude",
        title="Checks that no answer passes together",
        severity=Severity.WARNING,
        why="All of them must be met, so no answer can earn the full score; use paths for alternatives.",
        on_prompt=_check,
    ),
)
