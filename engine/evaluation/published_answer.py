"""A published answer as the answer of a run: the stored text, and the stored verdicts on criteria that still exist.

Checks run again on the stored text. A verdict on a text point counts as long as its criterion is in the rubric; new
criteria are open. Where the file has no text of an answer, the stored verdicts on checks count too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from functools import lru_cache
from pathlib import Path

from engine.blueprint import Header, Prompt, Role
from engine.conversation import Conversation
from engine.evaluation.events import Delta, Failed, Responded, Response
from engine.evaluation.published_match import Matching, matched, result_of
from engine.evaluation.published_score import ScoreComparison, compare_score
from engine.evaluation.results import ResultFile, StoredResult, UnusableResult, read_result_file
from engine.evaluation.sources import StoredSource
from engine.evaluation.stored_points import mapping, stored_assessment
from engine.judging.panel import Approach
from engine.record import replace
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart
from engine.scoring.explanation import PublishedScore
from engine.scoring.explanation_builder import explain
from engine.scoring.explanation_text import point_label
from engine.scoring.placement import place
from engine.yaml_nodes.nodes import Data


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


async def stored_answer(
    prompt: Prompt, conversation: Conversation, source: StoredSource
) -> AsyncGenerator[Delta | Responded | Failed]:
    """The published answer: one `Responded`, or one `Failed` that says why there is none."""
    try:
        result = await asyncio.to_thread(stored_result, source, prompt)
    except UnusableResult as error:
        yield Failed("The result file cannot be used.", str(error), "Choose another with F9.")
        return
    yield _answer(result, conversation, source)


def preview_answer(
    prompt: Prompt, header: Header, conversation: Conversation, source: StoredSource
) -> tuple[Response, frozenset[int]] | None:
    """The published answer, and the places in `Prompt.points()` whose stored verdicts still count.

    None where there is no such answer. Blocks.
    """
    try:
        answer = _answer(stored_result(source, prompt), conversation, source)
    except UnusableResult:
        return None
    if isinstance(answer, Failed):
        return None
    untouched = tuple(Assessment(placed) for placed in place(prompt))
    carried, _ = with_published_verdicts(prompt, header, source, answer.response, untouched)
    return answer.response, frozenset(index for index, each in enumerate(carried) if each.assessed)


def _answer(result: StoredResult | None, conversation: Conversation, source: StoredSource) -> Responded | Failed:
    if result is None:
        advice = "It was not part of that run, or its id and its messages have changed since."
        return Failed(f"{source.path.name} has no result of {source.model} for this prompt.", advice=advice)
    if result.error is not None:
        return Failed(
            "No score was published for this prompt.", result.error, "The error is the one that Weval recorded then."
        )
    return Responded(published_response(result, conversation) or Response("", (), source.model))


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
    described, users = mapping(config).get("description"), _user_messages(result.prompt)
    if isinstance(described, str):
        then[ChangedPart.DESCRIPTION] = described.strip()
    if users:
        then[ChangedPart.TRANSCRIPT] = users
    now = {
        ChangedPart.CRITERIA: _criteria(prompt),
        ChangedPart.DESCRIPTION: (header.description or "").strip(),
        ChangedPart.TRANSCRIPT: _user_messages(prompt),
    }
    changed = tuple(part for part, before in then.items() if before != now[part])
    by_all = tuple(part for part in changed if part is ChangedPart.TRANSCRIPT)
    return {Approach.STANDARD: by_all, Approach.PROMPT_AWARE: by_all, Approach.HOLISTIC: changed}


def _criteria(prompt: Prompt) -> list[str]:
    return sorted(point.text for point in prompt.points() if point.text is not None)


def _user_messages(prompt: Prompt) -> list[str]:
    """The user messages. Which of the other messages a result file has depends on its age."""
    return [(message.content or "").strip() for message in prompt.messages if message.role is Role.USER]


def _approach_of(judge: str) -> Approach:
    """The approach with which a judge's label in a file begins; Weval's own judges are holistic."""
    return next((each for each in Approach if judge.startswith(each)), Approach.HOLISTIC)


def _carried_verdict(
    today: Assessment, result: StoredResult, place: int, changed: Mapping[Approach, tuple[ChangedPart, ...]]
) -> Assessment:
    """The stored verdict at the current place of its criterion, inverted if that is in the other block."""
    moved = result.assessments[place].moved_to(today.placed)
    point = replace(result.points[place], extent=moved.extent, possible=moved.possible)
    verdict = stored_assessment(point, today.placed)
    detail = f"published: {verdict.detail}" if verdict.detail else "published"
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
    new = len(matching.new)
    if new:
        since.append(f"{'1 point is' if new == 1 else f'{new} points are'} new since, and not judged then.")
    gone = tuple(result.assessments[place] for place in matching.gone)
    return PublishedScore(result.stored, () if comparison is None else _reasons(comparison), tuple(since), gone)


def _reasons(comparison: ScoreComparison) -> tuple[str, ...]:
    return ("Its points add up to that.", *comparison.reasons) if comparison.reproduced else comparison.reasons
