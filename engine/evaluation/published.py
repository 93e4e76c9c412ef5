"""A published answer as the answer of a run: which of its points are in the rubric today, and how its score adds up.

Checks run again on the stored text. A verdict on a text point counts as long as its criterion is in the rubric; new
criteria are open. Where the file has no text of an answer, the stored verdicts on checks count too. A prompt is found
by its id, else by its user messages: generated ids change with every edit of the rubric. A point is found by its text,
or by its function and argument.

Weval leaves errors out of the mean (platform.md, A4), and older versions had no paths or no weights. Each of these
calculations is tried, and the one that gives the published score is named.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from engine import functions
from engine.blueprint import Blueprint, FunctionCall, Header, Point, Prompt, Role, unique_keys
from engine.blueprint.conversation import Conversation
from engine.evaluation.events import Failed, Response
from engine.evaluation.pairing import Pairing
from engine.evaluation.results import (
    ResultFile,
    StoredResult,
    UnusableResult,
    mapping,
    read_result_file,
    stored_detail,
)
from engine.evaluation.sources import StoredSource
from engine.judging.panel import Approach
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart, OnWeval, PlacedPoint
from engine.scoring.explanation import Explanation, PublishedScore, point_label, points_text, weight_text
from engine.scoring.explanation_builder import explain, score_there
from engine.scoring.sums import PointExtent, Sums, place
from engine.text.record import Record, replace
from engine.text.spans import count, one_line
from engine.yaml.nodes import Data

_Other = TypeVar("_Other")


class Match(Record):
    """One point then and now, by its places in `points()` of the stored prompt and of today's.

    `then` is None for a new point, `now` for one that is no longer in the blueprint. `changes` lists what else has
    changed: `weight 2 now, 1 then`.
    """

    then: int | None
    now: int | None
    changes: tuple[str, ...] = ()


class Matching(Record):
    """Every point of a stored result and of today's prompt, in today's order; removed points come last.

    `reordered`: the points that were there then are in another order among themselves.
    """

    prompt: Prompt
    matches: tuple[Match, ...]
    reordered: bool = False


def prompt_today(result: StoredResult, blueprint: Blueprint) -> Prompt | None:
    """The prompt of `blueprint` to which `result` belongs, None where it no longer exists."""
    keys = unique_keys(blueprint.prompts)
    return _same(result.bare_prompt, [(keys[prompt.index], prompt, prompt) for prompt in blueprint.prompts])


def result_of(prompt: Prompt, results: Sequence[StoredResult]) -> StoredResult | None:
    """The result of `prompt` among `results`, all of one model; None where there is none."""
    return _same(prompt, [(each.bare_prompt.id, each.bare_prompt, each) for each in results])


def _same(wanted: Prompt, others: Sequence[tuple[str, Prompt, _Other]]) -> _Other | None:
    """What belongs to a prompt with the id of `wanted`, else to the only one that asks the same."""
    by_id = (other for prompt_id, _, other in others if prompt_id == wanted.id)
    alike = [other for _, prompt, other in others if asks_the_same(wanted, prompt)]
    return next(by_id, alike[0] if len(alike) == 1 else None)


def asks_the_same(one: Prompt, other: Prompt) -> bool:
    """Whether two prompts have the same user messages, white space aside, and any at all."""
    return _user_messages(one) == _user_messages(other) != ()


def _user_messages(prompt: Prompt) -> tuple[str, ...]:
    """The user messages of a prompt, with white space normalised."""
    return tuple(one_line(each.content) for each in prompt.messages if each.role is Role.USER and each.content)


def matched(result: StoredResult, prompt: Prompt) -> Matching:
    """Match the points of `result` with those of `prompt`: first the exact matches, then looser ones."""
    then, now = place(result.prompt), place(prompt)
    pairing = Pairing(len(then), len(now))
    for key in _KEYS:
        pairing.pair_equal(list(map(key, then)), list(map(key, now)))
    before = {here: there for there, here in pairing.pairs}
    matches = [
        Match(before.get(here), here, _changes(then[before[here]], point, then, now) if here in before else ())
        for here, point in enumerate(now)
    ]
    matches += [Match(there, None) for there in pairing.old_left]
    return Matching(prompt, tuple(matches), _reordered(pairing.pairs, then))


def _criterion(point: Point) -> str:
    """The text of a point with white space normalised, or its function (by its main name) and argument."""
    if point.function is None:
        return one_line(point.text or "")
    known = functions.find(point.function.name)
    name = point.function.name if known is None else known.names[0]
    return functions.describe(FunctionCall(name, point.function.args))


def _path(placed: PlacedPoint) -> str | None:
    """Weval's id of the path, without the prefix of `should_not`."""
    return None if placed.path_id is None else placed.path_id.removeprefix("not_")


_KEYS: tuple[Callable[[PlacedPoint], Hashable], ...] = (
    lambda placed: (placed.rubric.block, _path(placed), placed.point.multiplier, _criterion(placed.point)),
    lambda placed: (placed.rubric.block, _criterion(placed.point)),
    lambda placed: _criterion(placed.point),
)
"""What two points are paired by, in turn."""


def _changes(
    was: PlacedPoint, is_now: PlacedPoint, then: Sequence[PlacedPoint], now: Sequence[PlacedPoint]
) -> tuple[str, ...]:
    """The changes in how a point counts. The number of its path is none: it moves with every earlier entry."""
    changes: list[str] = []
    if was.rubric.block is not is_now.rubric.block:
        changes.append(f"in {is_now.rubric.block} now, in {was.rubric.block} then")
    if (was.path_id is None) != (is_now.path_id is None):
        changes.append(f"{_where(is_now)} now, {_where(was)} then")
    elif _beside(was, then) != _beside(is_now, now) and was.path_id is not None:
        changes.append("its path holds other criteria now")
    if abs(was.point.multiplier - is_now.point.multiplier) > 1e-9:
        changes.append(f"weight {weight_text(is_now.point.multiplier)} now, {weight_text(was.point.multiplier)} then")
    return tuple(changes)


def _where(placed: PlacedPoint) -> str:
    return "required" if placed.path_id is None else "on a path"


def _beside(placed: PlacedPoint, points: Sequence[PlacedPoint]) -> frozenset[str]:
    """The criteria of the path that a point is on."""
    return frozenset(
        _criterion(each.point)
        for each in points
        if each.rubric.block is placed.rubric.block and each.path_id == placed.path_id
    )


def _reordered(pairs: Iterable[tuple[int, int]], then: Sequence[PlacedPoint]) -> bool:
    """Whether any two points that are still there have changed places.

    Weval puts checks before text points (platform.md, A33), so only points of one kind and group are compared.
    """
    last: dict[Hashable, int] = {}
    for there, here in pairs:
        point = then[there]
        group = (point.rubric.block, point.path_id, point.point.function is None)
        if here < last.get(group, -1):
            return True
        last[group] = here
    return False


_CLOSE = 0.005 + 1e-9
"""Half a step of the two decimals that Weval stores."""


class ScoreComparison(Record):
    """A published score (0–1) and the score computed from the points in its file, None where it has none.

    `reasons` explains in sentences how the two are related.
    """

    stored: float
    computed: float | None
    reasons: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        """Whether the points in the file add up to the score in it."""
        return self.computed is not None and abs(self.computed - self.stored) <= _CLOSE


def compare_score(result: StoredResult, explanation: Explanation) -> ScoreComparison | None:
    """Compare the published score of `result` with its own points; None where the file has no score of it.

    `explanation` explains the assessments in the file.
    """
    stored = result.stored
    if stored is None:
        return None
    readings = _readings(result, explanation)
    if not readings:
        return ScoreComparison(stored, None, ("The file has this score but none of its criteria.",))
    for computed, words in readings:
        if abs(computed - stored) <= _CLOSE:
            return ScoreComparison(stored, computed, (*words, *_left_out(result, explanation)))
    computed = readings[0][0]
    by = points_text(abs(computed - stored))
    more = "less" if computed > stored else "more"
    reasons = f"The published score is {by} points {more} than its own criteria add up to ({points_text(computed)})."
    return ScoreComparison(stored, computed, (reasons, *_doubts(result), *_left_out(result, explanation)))


def _readings(result: StoredResult, explanation: Explanation) -> list[tuple[float, tuple[str, ...]]]:
    """The score of the points by each known calculation, the likeliest first, with the sentence that names it."""
    points = [PointExtent.of(each) for each in result.assessments]
    known = [point.extent for point in points if point.extent is not None]
    if not points:
        return []
    is_number = all(each.on_weval is not OnWeval.NAN for each in result.assessments)
    as_weval = (score_there(result.assessments) if is_number else None, ())
    as_documented = (explanation.score, ())
    plain = "The published score is the plain mean of all criteria: "
    readings: list[tuple[float | None, tuple[str, ...]]] = [
        *((as_documented, as_weval) if result.ours else (as_weval,)),
        (_without_errors(result), (f"{plain}this version of Weval knew no alternative paths.",)),
        (sum(known) / len(known) if known else None, (f"{plain}this version of Weval knew no weights.",)),
    ]
    return [(score, words) for score, words in readings if score is not None]


def _without_errors(result: StoredResult) -> float | None:
    """The weighted mean of all points with an extent and no error, regardless of paths."""
    return Sums.of(PointExtent.of(each) for each in result.assessments if not each.broken).mean


def _left_out(result: StoredResult, explanation: Explanation) -> tuple[str, ...]:
    """The points that the published score leaves out."""
    reasons: list[str] = []
    checks = sum(each.broken for each in result.assessments)
    judges = sum(each.failed for each in result.assessments)
    open_points = sum(each.open for each in result.assessments)
    if checks and not result.ours:
        what = "One check" if checks == 1 else f"{checks} checks"
        reasons.append(
            f"{what} could not run and took no part in it. The documents count an error as 0: "
            f"that gives {points_text(explanation.score or 0.0)}."
        )
    if judges:
        reasons.append(f"{_points(judges)} could not be judged and took no part in it.")
    if open_points:
        reasons.append(f"{_points(open_points)} took no part in it: the file has no verdict.")
    return tuple(reasons)


def _points(count: int) -> str:
    return "One criterion" if count == 1 else f"{count} criteria"


def _doubts(result: StoredResult) -> tuple[str, ...]:
    """Possible reasons for a difference, from the file itself."""
    reasons: list[str] = []
    samples = max([result.samples, *(point.samples for point in result.points)])
    if samples > 1:
        reasons.append(
            f"Weval averaged it over {samples} answers; the values of each criterion in the file are rounded."
        )
    if result.counted is not None and result.counted > len(result.points):
        missing = result.counted - len(result.points)
        reasons.append(f"{_points(missing)} of {result.counted} {'is' if missing == 1 else 'are'} not in the file.")
    return tuple(reasons) or (
        "Nothing in the file says why; another version of Weval may have added them up otherwise.",
    )


def cached_result_file(path: Path) -> ResultFile:
    """The result file at `path`, read again only when it has changed. Raises `UnusableResult`. Blocks."""
    try:
        status = path.stat()
    except OSError as error:
        raise UnusableResult(f"The file cannot be read: {error.strerror}.") from error
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int, _size: int) -> ResultFile:
    return read_result_file(path)


def stored_result(source: StoredSource, prompt: Prompt) -> StoredResult | None:
    """The result of `prompt` in the file of `source`, None where it has none. Raises `UnusableResult`. Blocks."""
    return result_of(prompt, [each for each in cached_result_file(source.path).results if each.model == source.model])


def stored_answer(prompt: Prompt, conversation: Conversation, source: StoredSource) -> Response | Failed:
    """The published answer, or why there is none. Blocks."""
    try:
        result = stored_result(source, prompt)
    except UnusableResult as error:
        return Failed("The result file cannot be used.", str(error), "Choose another with F9.")
    if result is None:
        advice = "It was not part of that run, or its id and its messages have changed since."
        return Failed(f"{source.path.name} has no result of {source.model} for this prompt.", advice=advice)
    if result.error is not None:
        return Failed(
            "No score was published for this prompt.", result.error, "The error is the one that Weval recorded then."
        )
    return published_response(result, conversation) or Response("", (), source.model)


def settled_points(prompt: Prompt, header: Header, source: StoredSource, response: Response) -> frozenset[int]:
    """The places in `Prompt.points()` whose stored verdicts on a published answer still count. Blocks."""
    untouched = tuple(map(Assessment, place(prompt)))
    carried, _ = with_published_verdicts(prompt, header, source, response, untouched)
    return frozenset(index for index, each in enumerate(carried) if each.assessed)


def published_response(result: StoredResult, conversation: Conversation) -> Response | None:
    """The answer within the conversation of the file, or within the written one where the file has none.

    None where the file has no text of the answer.
    """
    text = result.response
    if text is None:
        return None
    replies = [content for role, content in result.history if role is Role.ASSISTANT]
    turns = replies[-conversation.pending :] if 0 < conversation.pending <= len(replies) else [text]
    thread = conversation.answered(turns)
    if thread and result.stop is not None:
        thread = (*thread[:-1], replace(thread[-1], stop=result.stop))
    return Response(text, thread, result.model)


def with_published_verdicts(
    prompt: Prompt, header: Header, source: StoredSource, response: Response, assessments: tuple[Assessment, ...]
) -> tuple[tuple[Assessment, ...], PublishedScore | None]:
    """`assessments`, one for each point of `prompt`, with stored verdicts on open points, and the published score.

    The author's grades win over stored verdicts. A verdict whose judges saw something else than what they would see
    today, with `header`, is marked as carried over. Without the file, the assessments are returned unchanged. Blocks.
    """
    try:
        result = stored_result(source, prompt)
    except UnusableResult as error:
        return assessments, PublishedScore(None, (f"{source.path.name} can no longer be used: {error}",))
    if result is None:
        return assessments, None
    matching = matched(result, prompt)
    then = {each.now: each.then for each in matching.matches if each.now is not None and each.then is not None}
    has_text = response.thread != ()
    changed = _changed_since(result, cached_result_file(source.path).config, prompt, header)
    carried = tuple(
        _carried_verdict(each, result, then[index], changed)
        if index in then and _is_open(each, has_text=has_text)
        else each
        for index, each in enumerate(assessments)
    )
    return carried, _published(result, matching)


def _is_open(assessment: Assessment, *, has_text: bool) -> bool:
    if assessment.by is AssessedBy.FUNCTION:
        return not has_text
    return not assessment.assessed


def _changed_since(
    result: StoredResult, config: Data, prompt: Prompt, header: Header
) -> Mapping[Approach, tuple[ChangedPart, ...]]:
    """What has changed of what a judge of each approach was shown, as far as the file records it."""
    then: dict[ChangedPart, object] = {ChangedPart.CRITERIA: _criteria(result.prompt)}
    described, users = mapping(config).get("description"), _stripped_user_messages(result.prompt)
    if isinstance(described, str):
        then[ChangedPart.DESCRIPTION] = described.strip()
    if users:
        then[ChangedPart.TRANSCRIPT] = users
    now = {
        ChangedPart.CRITERIA: _criteria(prompt),
        ChangedPart.DESCRIPTION: (header.description or "").strip(),
        ChangedPart.TRANSCRIPT: _stripped_user_messages(prompt),
    }
    changed = tuple(part for part, before in then.items() if before != now[part])
    by_all = tuple(part for part in changed if part is ChangedPart.TRANSCRIPT)
    return {Approach.STANDARD: by_all, Approach.PROMPT_AWARE: by_all, Approach.HOLISTIC: changed}


def _criteria(prompt: Prompt) -> list[str]:
    return sorted(point.text for point in prompt.points() if point.text is not None)


def _stripped_user_messages(prompt: Prompt) -> list[str]:
    """The user messages. Which of the other messages a result file has depends on its age."""
    return [(message.content or "").strip() for message in prompt.messages if message.role is Role.USER]


def _approach_of(judge: str) -> Approach:
    """The approach with which a judge's label in a file begins; Weval's own judges are holistic."""
    return next((each for each in Approach if judge.startswith(each)), Approach.HOLISTIC)


def _carried_verdict(
    today: Assessment, result: StoredResult, place: int, changed: Mapping[Approach, tuple[ChangedPart, ...]]
) -> Assessment:
    """The stored verdict at the current place of its criterion, inverted if that is in the other block."""
    verdict = result.assessments[place].moved_to(today.placed)
    detail = ": ".join(filter(None, ("published", stored_detail(result.points[place], verdict))))
    if verdict.by is not AssessedBy.JUDGE or not verdict.assessed:
        return replace(verdict, detail=detail)
    approaches = {_approach_of(each.judge) for each in verdict.published} or {Approach.HOLISTIC}
    parts = {part for approach in approaches for part in changed[approach]}
    return replace(verdict, detail=detail, carried_over=tuple(part for part in ChangedPart if part in parts))


def _published(result: StoredResult, matching: Matching) -> PublishedScore:
    comparison = compare_score(result, explain(result.prompt, result.assessments))
    points = matching.prompt.points()
    since = [
        f"{point_label(points[each.now])}: {'; '.join(each.changes)}"
        for each in matching.matches
        if each.now is not None and each.changes
    ]
    new = sum(each.then is None for each in matching.matches)
    if new:
        since.append(f"{count(new, 'criterion is', 'criteria are')} new since, and not judged then.")
    places = (each.then for each in matching.matches if each.now is None)
    gone = tuple(result.assessments[place] for place in places if place is not None)
    return PublishedScore(result.stored, () if comparison is None else _reasons(comparison), tuple(since), gone)


def _reasons(comparison: ScoreComparison) -> tuple[str, ...]:
    return ("Its criteria add up to that.", *comparison.reasons) if comparison.reproduced else comparison.reasons
