"""Judged answers in a store, for tests of grading."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.blueprint import Blueprint, Prompt
from engine.blueprint.conversation import conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, ModelSource
from engine.judging.judge_prompt import Question, context_of, first_request, questions
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import FIVE_STEPS, Approach, PanelJudge
from engine.judging.verdict import Verdict
from engine.store import PromptPlace, Store
from engine.study.judged_pairs import JudgedPair, judged_pairs

FILE = Path("a.yml")


def judgement(asked: Question, extent: float, judge: str = "strict") -> Judgement:
    """The verdict of a holistic judge on a question."""
    request = first_request(asked, Approach.HOLISTIC, FIVE_STEPS, judge)
    step = next((each for each in FIVE_STEPS.steps if each.extent == extent), None)
    attempt = Attempt(request, "", Verdict(extent, step, f"{judge} says so."))
    shown = context_of(Approach.HOLISTIC, asked)
    return Judgement(PanelJudge(judge, f"own:{judge}", Approach.HOLISTIC), asked.criterion, (attempt,), shown=shown)


def save_answer(
    store: Store,
    blueprint: Blueprint,
    prompt: Prompt,
    answer: str,
    extents: Sequence[Sequence[float]],
    model: str = "own:secret-model",
    *,
    file: Path = FILE,
) -> None:
    """A run of `prompt` with this answer; `extents` has one for each judge of each criterion in words."""
    place = PromptPlace.of(file, prompt)
    thread = conversation(prompt, blueprint.header).answered([answer])
    candidate = Candidate(ModelSource(model))
    number = store.begin_run(place, candidate, "")
    store.save_run_answer(number, place, candidate, Response(answer, thread))
    asked = questions(prompt, thread, blueprint.header.description)
    for question, given in zip(asked.values(), extents, strict=True):
        for judge, extent in zip(("strict", "mild"), given, strict=False):
            store.save_run_judgement(number, judgement(question, extent, judge))


def pairs_in(store: Store, blueprint: Blueprint) -> tuple[JudgedPair, ...]:
    """The judged pairs of a blueprint in the store."""
    places = {prompt.index: PromptPlace.of(FILE, prompt) for prompt in blueprint.prompts}
    answers = {place.prompt: store.judged_answers(place) for place in places.values()}
    return judged_pairs(blueprint, FILE, answers)
