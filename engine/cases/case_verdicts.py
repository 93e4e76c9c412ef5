"""The verdicts that are known for a case: those recorded in its file, and cached ones of the same request.

A recorded verdict counts while the answer, the criterion, all else that the judge saw, and the judge itself are the
same. So it counts alike in every clone of the repository, and nothing has to be asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from engine.blueprint import Blueprint
from engine.cases.case import Case, CaseVerdict, VerdictDigests
from engine.digests import short_data_digest
from engine.judging.consensus import Consensus
from engine.judging.judge_context import context_of
from engine.judging.judge_prompt import Question, first_request
from engine.judging.judge_runner import JudgementLookup, place_of
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, Panel, PanelJudge
from engine.judging.scale import Scale
from engine.judging.verdict import Verdict
from engine.planning.judge_questions import judges_of
from engine.providers.chat import ProviderError, Resolve
from engine.providers.request_key import request_key
from engine.text import NOWHERE


def recorded_verdicts(case: Case, questions: Iterable[Question], panel: Panel) -> dict[str, Consensus]:
    """The verdicts of the file that still count, by criterion; of the judges in `panel`, in their order."""
    found: dict[str, Consensus] = {}
    for question in questions:
        judgements = [
            _judgement(verdict, judge, question, panel.scale)
            for judge in judges_of(panel)
            for verdict in case.verdicts
            if verdict.criterion == question.criterion
            and verdict.digests == digests_of(question, judge, panel.scale)
            and (verdict.model, verdict.approach) == (judge.model, judge.approach)
        ]
        if judgements:
            found[question.criterion] = Consensus(tuple(judgements))
    return found


def cached_verdicts(
    questions: Iterable[Question], panel: Panel, blueprint: Blueprint, providers: Resolve, lookup: JudgementLookup
) -> dict[str, Consensus]:
    """The cached verdicts on the very requests that judges would be sent, by criterion. Blocks.

    The backup judge's counts where no other judge has one.
    """
    names = {judge.model: _name_of(judge.model, providers) for judge in judges_of(panel)}
    places = {model: place_of(model, blueprint.header.models) for model in names}
    found: dict[str, Consensus] = {}
    for question in questions:
        judgements: list[Judgement] = []
        for judge in judges_of(panel):
            if judge is panel.backup and not panel.needs_backup(len(judgements)):
                continue
            request = first_request(question, judge.approach, panel.scale, names[judge.model])
            key = "" if places[judge.model] is None else request_key(places[judge.model], request)
            cached = lookup(key) if key else None
            if cached is not None and cached.verdict is not None:
                shown = context_of(judge.approach, question)
                judgements.append(
                    replace(cached, judge=judge, criterion=question.criterion, reused=True, key=key, shown=shown)
                )
        if judgements:
            found[question.criterion] = Consensus(tuple(judgements))
    return found


def verdicts_to_record(
    questions: Mapping[int, Question], points: Mapping[int, Consensus], scale: Scale
) -> tuple[CaseVerdict, ...]:
    """The verdicts of a run in the form of a case file. `questions` and `points` are by place in `Prompt.points()`."""
    return tuple(
        CaseVerdict(
            criterion=judgement.criterion,
            judge=judgement.judge.id,
            model=judgement.judge.model,
            approach=judgement.judge.approach.value,
            extent=verdict.extent,
            reflection=verdict.reflection,
            digests=digests_of(questions[index], judgement.judge, scale),
            span=NOWHERE,
        )
        for index, consensus in points.items()
        for judgement, verdict in consensus.verdicts
    )


def digests_of(question: Question, judge: PanelJudge, scale: Scale) -> VerdictDigests:
    """What a verdict of `judge` on `question` is about."""
    context = context_of(judge.approach, question)
    answer = [turn.content for turn in question.thread if turn.generated]
    return VerdictDigests(
        answer=short_data_digest(answer or [turn.content for turn in question.thread[-1:]]),
        criterion=short_data_digest(question.criterion),
        context=short_data_digest([context.transcript, context.criteria, context.description]),
        judge=short_data_digest([judge.model, judge.approach.value, scale.name]),
    )


def _judgement(verdict: CaseVerdict, judge: PanelJudge, question: Question, scale: Scale) -> Judgement:
    """The recorded verdict as a judgement; its reply word for word was not recorded."""
    approach = Approach(verdict.approach)
    request = first_request(question, approach, scale, judge.model.partition(":")[2])
    step = next((each for each in scale.steps if each.extent == verdict.extent), None)
    attempt = Attempt(request, "", Verdict(verdict.extent, step, verdict.reflection))
    return Judgement(judge, question.criterion, (attempt,), reused=True, shown=context_of(approach, question))


def _name_of(model: str, providers: Resolve) -> str:
    """The name of a judge's model in requests to its provider."""
    try:
        return providers(model, None)[1]
    except ProviderError:
        return model.partition(":")[2]
