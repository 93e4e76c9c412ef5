"""The checks that a prompt's own ideal fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import FunctionCall, Prompt
from engine.rules.functions.trial_subjects import depends_on_earlier_answers
from engine.rules.views import PromptView
from engine.scoring.assessment import Assessment
from engine.text_limits import TRIED_CHARACTERS

_PASSES = 0.5


def failed_checks(view: PromptView, passes: float = _PASSES) -> Iterator[tuple[Assessment, str]]:
    """Each check that the prompt's ideal fails, with a remark if it is on a path; `passes` is the least extent."""
    prompt = view.prompt
    if (
        not prompt.ideal
        or view.javascript is None
        or not any(_applies_to_ideal(prompt, point.function) for point in prompt.points())
    ):
        return
    if len(prompt.ideal) * sum(point.function is not None for point in prompt.points()) > TRIED_CHARACTERS:
        return
    from engine.evaluation import assess_functions

    assessed = [
        one
        for one in assess_functions(prompt, prompt.ideal, view.javascript)
        if one.extent is not None and one.error is None and _applies_to_ideal(prompt, one.point.function)
    ]
    failed = [one for one in assessed if (one.extent or 0.0) < max(passes, _required_extent(one.point.function))]
    for one in failed:
        if one.placed.path_id is None:
            yield one, ""
    yield from _failed_paths(view, failed)


def _required_extent(call: FunctionCall | None) -> float:
    """The extent that the ideal should reach: all of it for a length, which has part marks up to twice the limit."""
    return 1.0 if call is not None and call.name == "word_count_between" else 0.0


def _applies_to_ideal(prompt: Prompt, call: FunctionCall | None) -> bool:
    """Whether the ideal should pass this check: not if it checks tool calls or earlier answers."""
    return call is not None and not call.name.startswith("tool_") and not depends_on_earlier_answers(prompt, call)


def _failed_paths(view: PromptView, failed: Sequence[Assessment]) -> Iterator[tuple[Assessment, str]]:
    """The first failed check of the first path, if every path of the block has a failed check."""
    for rubric in view.prompt.rubrics:
        ids = {rubric.path_id(path) for path in rubric.paths}
        of_block = [one for one in failed if one.placed.path_id in ids]
        if ids and view.prompt.ideal and {one.placed.path_id for one in of_block} == ids:
            yield of_block[0], f" (and it fails each of the {len(ids)} paths)" if len(ids) > 1 else ""
