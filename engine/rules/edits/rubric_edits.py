"""The edits of the text that make changes of a rubric: weights, points switched off, paths flattened, checks loosened.

Each change is made in the text as the ones before it left it, and read again: an edit that does not do what it should
is refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.blueprint import Path, Point, Prompt
from engine.parsing import Parsed, parse
from engine.record import Record
from engine.rules.edits.loosened_check import loosened_check
from engine.rules.edits.point_key_edits import weight_edits
from engine.rules.edits.switched_off import switched_off
from engine.rules.source.path_lists import flattened
from engine.rules.views import FileView, PromptView
from engine.scoring.explanation_text import point_label
from engine.scoring.placement import place
from engine.scoring.what_if import RubricChanges
from engine.text import TextEdit, apply_edits, edits_between

_LONGEST = 40


class Refusal(Record):
    """A change that cannot be made in the text, as a message for authors."""

    message: str


def rubric_edits(
    parsed: Parsed, prompt: Prompt, changes: RubricChanges, forms: Mapping[int, Sequence[tuple[str, str]]]
) -> tuple[TextEdit, ...] | Refusal:
    """The edits that make `changes` in the rubric of `prompt`, one of `parsed`; or the first that cannot be made.

    `forms` are, by place in `Prompt.points()`, the texts that a check shall find in another form too, each with that
    form. The edits are as short as possible. Cost grows with the file.
    """
    text, now = parsed.text, parsed
    for step in _steps(prompt, changes, forms):
        view = PromptView(FileView(now), now.blueprint.prompts[prompt.index])
        edits = step.edits(view)
        after = apply_edits(now.text, edits) if edits else None
        again = None if after is None else parse(after, parsed.path)
        if again is None or not step.is_made(view.prompt, _prompt_of(again, prompt)):
            return Refusal(f"{step.failure}: change it in the text")
        now = again
    return edits_between(text, now.text)


def _prompt_of(parsed: Parsed, prompt: Prompt) -> Prompt | None:
    prompts = parsed.blueprint.prompts
    return prompts[prompt.index] if prompt.index < len(prompts) else None


class _Step(Record):
    """One change: the edits that make it, whether it was made, and what to say if not."""

    edits: Callable[[PromptView], tuple[TextEdit, ...]]
    is_made: Callable[[Prompt, Prompt | None], bool]
    failure: str


def _steps(prompt: Prompt, changes: RubricChanges, forms: Mapping[int, Sequence[tuple[str, str]]]) -> list[_Step]:
    points = prompt.points()
    kept = [at for at in sorted(changes.weights) if at not in changes.off]
    steps = [_weight_step(points[at], at, changes.weights[at]) for at in kept]
    steps += [_loosened_step(points[at], at, forms[at]) for at in sorted(forms) if at not in changes.off]
    steps += [_flat_step(path_id) for path_id in _paths_from_below(prompt, changes.flat)]
    return [*steps, *(_off_step(points[at], at) for at in sorted(changes.off, reverse=True))]


def _weight_step(point: Point, at: int, weight: float) -> _Step:
    def is_made(before: Prompt, after: Prompt | None) -> bool:
        numbers, wanted = _numbers(after), _numbers(before)
        wanted[at] = (weight, wanted[at][1])
        return numbers == wanted and rubric_contents(after) == rubric_contents(before)

    failure = f"the weight of {point_label(point, _LONGEST)} has no place where it is written"
    return _Step(lambda view: weight_edits(view, view.prompt.points()[at], weight), is_made, failure)


def _loosened_step(point: Point, at: int, forms: Sequence[tuple[str, str]]) -> _Step:
    def is_made(before: Prompt, after: Prompt | None) -> bool:
        one, other = rubric_contents(before), rubric_contents(after)
        return _numbers(after) == _numbers(before) and [*one[:at], *one[at + 1 :]] == [*other[:at], *other[at + 1 :]]

    def edits(view: PromptView) -> tuple[TextEdit, ...]:
        fix = loosened_check(view.file, view.prompt.points()[at], forms)
        return () if fix is None else fix.edits

    return _Step(edits, is_made, f"{point_label(point, _LONGEST)} cannot be loosened where it is written")


def _flat_step(path_id: str) -> _Step:
    def edits(view: PromptView) -> tuple[TextEdit, ...]:
        path = _path(view.prompt, path_id)
        return () if path is None else flattened(view, (path,))

    def is_made(before: Prompt, after: Prompt | None) -> bool:
        freed = [None if each.path_id == path_id else each.path_id for each in place(before)]
        paths = [] if after is None else [each.path_id for each in place(after)]
        return rubric_contents(after) == rubric_contents(before) and _shape(paths) == _shape(freed)

    return _Step(edits, is_made, "a path cannot be flattened where it is written")


def _off_step(point: Point, at: int) -> _Step:
    def is_made(before: Prompt, after: Prompt | None) -> bool:
        one = rubric_contents(before)
        return rubric_contents(after) == [*one[:at], *one[at + 1 :]]

    failure = f"{point_label(point, _LONGEST)} cannot be taken out where it is written"
    return _Step(lambda view: switched_off(view, view.prompt.points()[at]), is_made, failure)


def _paths_from_below(prompt: Prompt, path_ids: frozenset[str]) -> list[str]:
    """The paths in the order from the last: flattening one moves those behind it."""
    found = [rubric.path_id(path) for rubric in prompt.rubrics for path in rubric.paths]
    return [path_id for path_id in reversed(found) if path_id in path_ids]


def _path(prompt: Prompt, path_id: str) -> Path | None:
    found = ((rubric.path_id(path), path) for rubric in prompt.rubrics for path in rubric.paths)
    return next((path for each, path in found if each == path_id), None)


def _numbers(prompt: Prompt | None) -> list[tuple[float, str | None]]:
    return [] if prompt is None else [(each.point.multiplier, each.path_id) for each in place(prompt)]


def rubric_contents(prompt: Prompt | None) -> list[object]:
    """The points of a prompt in order, each with its block and its citation, without weights."""
    if prompt is None:
        return []
    return [
        (each.rubric.block, (each.point.text or "").strip(), each.point.function, each.point.citation)
        for each in place(prompt)
    ]


def _shape(paths: Sequence[str | None]) -> list[int | None]:
    """The paths by their order of appearance: their ids count the entries before them."""
    seen: dict[str, int] = {}
    return [None if each is None else seen.setdefault(each, len(seen)) for each in paths]
