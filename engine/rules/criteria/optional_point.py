"""# optional-point

A point that only allows something, "May mention …" or "It is acceptable to …": an answer without it still loses the
point.

There are no optional points. Every point of `should` is part of the average, and a judge that does not find the content
grades it 0. With five points, "May mention the Clean Air Act" is 20 points of 100: a perfect answer that leaves it out
gets 80, although the author only meant that it does no harm.

In an alternative path it is reported only if this rule is selected by name, as a hint: another path may accept the
answers that leave it out.

In quoted law, "may" is part of the law ("He may call on staff from governments"). Such points, and points with a
citation, are not reported unless they describe the answer. English only.

Bad:

    - id: smog
      prompt: What caused the Great Smog of London?
      should:
        - Names the burning of coal
        - May mention the Clean Air Act of 1956 as a consequence

Good:

    - id: smog
      prompt: What caused the Great Smog of London?
      should:
        - Names the burning of coal

Fix: none, because there are three ways out. If the content is welcome but not needed, remove the point. If it is
wanted, require it, with a low weight if it matters little (`weight: 0.3`). In "may mention it, but must call it
disputed", the second half is the point: put its opposite under `should_not` ("presents it as settled").

Documents: Blueprint format, The `should` and `should_not` Rubrics, "a response must satisfy all of them".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Block, Point, Prompt
from engine.diagnostics import Severity
from engine.rules.language.permissions import permission_in
from engine.rules.rule import Report, Rule
from engine.rules.source.criterion_signs import Sign
from engine.rules.source.text_points import text_points, words_place
from engine.rules.views import PromptView
from engine.scoring.shares import hundredths, shares_of


def _check(view: PromptView) -> Iterator[Report]:
    for each in text_points(view, Sign.PERMISSION):
        point = each.point
        permission = permission_in(each.text) if each.block is Block.SHOULD else None
        if permission is None or (point.citation is not None and not permission[2]):
            continue
        start, end, _ = permission
        is_required = shares_of(view.prompt).is_required(point)
        word = each.text[start:end].strip("(:) ").lower()
        yield Report(
            words_place(view.text, point, start, end),
            f"“{word}” {'changes nothing' if 'optional' in word else 'makes nothing optional'}: "
            f"{_cost(view.prompt, point)}",
            severity=None if is_required else Severity.HINT,
            off=not is_required,
        )


def _cost(prompt: Prompt, point: Point) -> str:
    """The loss of an answer without the content of `point`."""
    shares = shares_of(prompt)
    if shares.is_required(point):
        worth = shares.of(point)
        if worth > 0.999:
            return "an answer without it gets 0 of 100"
        return f"an answer without it gets {hundredths(1 - worth)} of 100 at most"
    path = next((path for path in shares.alternatives if point in path.points), None)
    if path is None:
        return "an answer without it loses the point"
    return f"this path cannot be met without it, as one of its {len(path.points)} points"


RULES = (
    Rule(
        code="R031",
        slug="optional-point",
        severity=Severity.WARNING,
        why="Every point is averaged: an answer loses as much without what is allowed as without what is required.",
        on_prompt=_check,
    ),
)
