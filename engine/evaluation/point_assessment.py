"""A response → one assessment per point: functions checked, text points graded by hand or left open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from engine import functions
from engine.blueprint import FunctionCall, Message, Prompt, Role
from engine.blueprint.conversation import ThreadTurn
from engine.functions.point_function import CheckError, NotCalled, Result, Subject
from engine.models.definitions import is_service_call
from engine.scoring.assessment import AssessedBy, Assessment, Criterion, Grade, OnWeval, PlacedPoint
from engine.scoring.explanation import inversion_text
from engine.scoring.sums import place
from engine.text.record import replace
from engine.yaml.nodes import Data

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner

Grades = Mapping[Criterion, Grade]


def assess(
    prompt: Prompt,
    response: str,
    javascript: TaskRunner,
    *,
    thread: Sequence[ThreadTurn] = (),
    model: str = "",
    grades: Grades | None = None,
) -> tuple[Assessment, ...]:
    """One assessment per point, in the order of `Prompt.points()`. Blocks while functions run.

    A check that could not run is an error with extent 0, after inversion too (000: an error is a score of 0). Text
    points without a grade stay open, and so do checks by a service (`engine.evaluation.prompt_evaluation`).
    """
    placed = place(prompt)
    calls = [point.point.function for point in placed if point.point.function is not None]
    results = iter(functions.run(calls, subject_of(prompt, response, thread, model), javascript) if calls else ())
    return tuple(
        _graded(point, grades or {})
        if point.point.function is None
        else check_assessment(point, point.point.function, next(results))
        for point in placed
    )


def assess_functions(prompt: Prompt, response: str, javascript: TaskRunner) -> tuple[Assessment, ...]:
    """The assessments of the function points alone, in the order of `Prompt.points()`. Blocks while they run."""
    return tuple(each for each in assess(prompt, response, javascript) if each.point.function is not None)


def uses_service(prompt: Prompt) -> bool:
    """Whether a service decides any check of `prompt`."""
    return any(point.function is not None and is_service_call(point.function) for point in prompt.points())


def service_check(assessment: Assessment) -> FunctionCall | None:
    """The check of a point that a service decides; None for all other points."""
    call = assessment.point.function
    return call if call is not None and is_service_call(call) else None


def is_negated(call: FunctionCall) -> bool:
    """Whether a check is the `$not_` twin of another."""
    function = functions.find(call.name)
    return function is not None and function.negates is not None


def subject_of(prompt: Prompt, response: str, thread: Sequence[ThreadTurn], model: str) -> Subject:
    """What checks examine: the text that is judged, and the conversation that led to it."""
    turns = list(_turns(prompt.messages, thread))
    users = [message.content for message in prompt.messages if message.role is Role.USER and message.content]
    messages: tuple[dict[str, Data], ...] = tuple({"role": role.value, "content": content} for role, content in turns)
    return Subject(response, messages, model, prompt.id, users[-1] if users else "")


def _turns(messages: Sequence[Message], thread: Sequence[ThreadTurn]) -> Iterator[tuple[Role, str | None]]:
    """The turns of `thread`, with the unfilled turns of `messages` in their places, without content.

    This keeps the indexes that a script uses the same as on the platform.
    """
    left = list(thread)
    is_known = not thread or any(turn.written is message for turn in thread for message in messages)
    for message in messages if is_known else ():
        at = next((at for at, turn in enumerate(left) if turn.written is message), None)
        if at is not None:
            yield from ((turn.role, turn.content) for turn in left[: at + 1])
            del left[: at + 1]
        elif message.content is None or not thread:
            yield message.role, message.content
    yield from ((turn.role, turn.content) for turn in left)


def check_assessment(placed: PlacedPoint, call: FunctionCall, result: Result) -> Assessment:
    """The assessment of a check from its result: inverted in `should_not`, 0 where the check could not run."""
    if isinstance(result, NotCalled):
        return Assessment(placed, error=result.message, detail=result.message)
    if isinstance(result, CheckError):
        if result.stopped and _on_weval(call) is OnWeval.SAME:
            return _stopped(placed, call, result.message)
        return error_assessment(placed, result.message)
    if not 0 <= result.extent <= 1:
        return error_assessment(placed, f"{result.detail}, which is not a score from 0 to 1", OnWeval.NAN)
    extent = 1 - result.extent if placed.inverted else result.extent
    return Assessment(
        placed,
        extent,
        AssessedBy.FUNCTION,
        detail=f"{result.detail}{inversion_text(placed, extent)}",
        reflection=result.reflection,
        evidence=result.evidence,
        on_weval=_on_weval(call),
    )


def _on_weval(call: FunctionCall) -> OnWeval:
    """How Weval treats a check that runs here: it knows fewer names (A6) and no `(?i)` before a pattern (A8)."""
    inline_flag = "match" in call.name and any(text.startswith("(?i)") for text in call.texts())
    return OnWeval.SAME if functions.known_to_weval(call.name) and not inline_flag else OnWeval.ERROR


def error_assessment(placed: PlacedPoint, message: str, on_weval: OnWeval = OnWeval.ERROR) -> Assessment:
    """The assessment of a check that could not run: it counts 0 (000: an error is a score of 0)."""
    return Assessment(placed, 0.0, AssessedBy.FUNCTION, message, message, on_weval=on_weval)


def _stopped(placed: PlacedPoint, call: FunctionCall, message: str) -> Assessment:
    """A pattern that took too long: an error like any other here, while Weval waits for it (platform.md, A4)."""
    function = functions.find(call.name)
    if function is None or function.graded:  # of several patterns some may be found
        return error_assessment(placed, message, OnWeval.NO_LIMIT)
    nothing_found = float(is_negated(call) is not placed.inverted)
    if nothing_found:
        message = f"{message} Weval has no such limit: if the pattern finds nothing after all, this counts 100 there."
    return replace(error_assessment(placed, message, OnWeval.NO_LIMIT), extent_on_weval=nothing_found)


def _graded(placed: PlacedPoint, grades: Grades) -> Assessment:
    open_point = Assessment(placed, detail="not judged")
    text = placed.point.text
    grade = None if text is None else grades.get(Criterion(placed.rubric.block, text))
    if grade is None:
        return open_point
    extent = 1 - grade.extent if placed.inverted else grade.extent
    detail = f"you graded it {grade.label}{inversion_text(placed, extent)}"
    return replace(open_point, extent=extent, by=AssessedBy.HUMAN, detail=detail)
