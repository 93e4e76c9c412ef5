"""Hostile result files, read as `studio explain` and the studio read them: explained, opened, put beside the blueprint.

The seeds have the form that Weval's viewer reads, that of our own export, and that of old files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from engine.blueprint import Prompt
from engine.blueprint.conversation import Variant, conversation
from engine.evaluation.events import Response, Scored
from engine.evaluation.published import stored_answer, with_published_verdicts
from engine.evaluation.published_files import open_with_result
from engine.evaluation.result_json import Entry, dumps, result_json
from engine.evaluation.results import UnusableResult, is_result
from engine.evaluation.sources import StoredSource
from engine.files.open_files import CannotOpen
from engine.judging.judgement import Attempt, Consensus, Judgement
from engine.judging.panel import FIVE_STEPS, Approach, PanelJudge
from engine.judging.verdict import read_verdict
from engine.models.chat import ChatRequest
from engine.parsing import Parsed, parse, weval_config
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.study.result_files import explain_result
from engine.text.spans import visible
from studio.cli.explanations import results_blocks, results_json
from studio.cli.output import as_text
from tests.fire import mutations
from tests.fire.attacks import Attack, HostileFile, Outcome, attacked, seed_text
from tests.fire.figures import Figures

ROUNDS = 100_000
_MODEL = "openai:tiny"
_NAME = "capitals.yml"
_PUBLISHED: dict[str, Any] = json.loads(seed_text("published.json"))
"""A result as Weval writes it."""
_BEFORE: dict[str, Any] = json.loads(seed_text("published_before.json"))
"""A result as older versions of Weval wrote it."""


def run(seed: int, rounds: int) -> Figures:
    """Read `rounds` files, two of three as `studio explain` does, the others as the studio does."""
    parsed = parse(seed_text(_NAME))
    seeds = (_exported(parsed), _PUBLISHED, _BEFORE)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / _NAME).write_text(parsed.text, "utf-8")
        explained = Attack("explained", lambda chance: _file(chance, seeds), lambda made: _explain(folder, made))
        opened = Attack("opened", lambda chance: _file(chance, seeds), lambda made: _open(folder, made, parsed))
        return attacked("result_files", [explained, explained, opened], seed, rounds)


def _file(chance: Random, seeds: Sequence[Any]) -> HostileFile:
    data = chance.choice((*seeds, _checks(chance)))
    if chance.random() < 0.95:
        data = mutations.mutated_data(chance, data, seeds)
    if isinstance(data, dict) and chance.random() < 0.1:
        data = data | {"config": _deep_config(chance), "configId": "gone", "sourceBlueprintFileName": "gone.yml"}
    elif isinstance(data, dict) and chance.random() < 0.3:
        data = data | {"sourceBlueprintFileName": chance.choice((_NAME, "gone.yml", "x" * 400 + ".yml", "\ud800.yml"))}
        data = data | {"configId": chance.choice(("capitals", "a__b", "x" * 400, "\ud800", "..__.."))}
    content = mutations.json_bytes(chance, data)
    return HostileFile("result.json", content, chance.choice((None, None, None, None, "france", "\ud800")))


def _deep_config(chance: Random) -> dict[str, Any]:
    """A blueprint in a result file, a part of which is nested."""
    prompt = {"id": "france", "promptText": "What is it?", "points": ["Says it"]}
    prompt[chance.choice(("points", "promptText", "tools", "context"))] = mutations.nested(chance)
    return {"id": "gone", "prompts": [prompt], chance.choice(("tags", "models")): mutations.hostile_value(chance)}


def _explain(folder: Path, made: HostileFile) -> Outcome:
    path = made.written(folder)
    recognised = is_result(path)
    try:
        explained = explain_result(path, () if made.chosen is None else (made.chosen,), (), None, for_people=True)
    except UnusableResult as error:
        return Outcome("refused", str(error))
    shown, saved = as_text(results_blocks(explained)), dumps(results_json(explained))
    if visible(shown) != shown:
        raise ValueError("something hidden is printed")
    json.loads(saved)
    return Outcome("explained" if recognised else "explained, though no result", (shown, saved))


def _open(folder: Path, made: HostileFile, parsed: Parsed) -> Outcome:
    path = made.written(folder)
    try:
        file, result = open_with_result(path)
    except CannotOpen as error:
        return Outcome("not opened", (visible(error.title), visible(error.advice)))
    again = parse(file.text, file.path)
    carried = [_carried(prompt, StoredSource(path, _MODEL), parsed) for prompt in parsed.blueprint.prompts]
    kind = "opened as it is" if result is None else "opened with its blueprint"
    return Outcome(kind, (visible(file.text), len(again.blueprint.prompts), carried))


def _carried(prompt: Prompt, source: StoredSource, parsed: Parsed) -> list[str]:
    """What an author sees of the published answer to a prompt of today."""
    header = parsed.blueprint.header
    answer = visible(repr(stored_answer(prompt, conversation(prompt, header, Variant()), source)))
    untouched = tuple(map(Assessment, place(prompt)))
    assessments, published = with_published_verdicts(prompt, header, source, Response("x", ()), untouched)
    explanation = explain(prompt, assessments)
    if not 0 <= explanation.bounds.low <= explanation.bounds.high <= 1:
        raise ValueError(f"bounds of {explanation.bounds}")
    return [answer, visible(repr(explanation)), visible(repr(published))]


# --- The seeds


def _checks(chance: Random) -> dict[str, Any]:
    """A result of checks with arguments of any kind."""
    names = ("contains", "matches", "js", "word_count_between", "tool_called", "call", "\ud800", "x" * 300)
    args = [mutations.json_bytes(chance, mutations.hostile_value(chance)).decode("utf-8", "replace") for _ in names]
    points = [
        {"keyPointText": f"Function: {name}({arg})", "coverageExtent": 0.5, "multiplier": 1, "isInverted": False}
        for name, arg in zip(names, args, strict=True)
    ]
    return {
        **_PUBLISHED,
        "evaluationResults": {"llmCoverageScores": {"france": {_MODEL: {"pointAssessments": points}}}},
    }


def _exported(parsed: Parsed) -> Any:
    """A result as the studio exports it, with judges."""
    entries = [_entry(prompt) for prompt in parsed.blueprint.prompts]
    return json.loads(dumps(result_json(parsed.blueprint, weval_config(parsed), entries, path=Path(_NAME))))


def _entry(prompt: Prompt) -> Entry:
    reading = read_verdict("<classification>CLASS_PARTIALLY_PRESENT</classification>", FIVE_STEPS)
    attempt = Attempt(ChatRequest("judge", ()), "CLASS_PARTIALLY_PRESENT", reading)
    judges = (PanelJudge("a", "x:a", Approach.STANDARD), PanelJudge("b", "x:b", Approach.HOLISTIC))
    consensus = Consensus(tuple(Judgement(judge, "it", (attempt,)) for judge in judges))
    assessments = tuple(Assessment(placed, 0.5, AssessedBy.JUDGE, "half") for placed in place(prompt))
    answer = 'It is Paris.\nTOOL_CALL {"name": "find", "arguments": {"q": [1, 2]}}'
    response = Response(answer, (), _MODEL)
    verdicts = {index: consensus for index, each in enumerate(assessments) if each.point.text is not None}
    return Entry(
        prompt, prompt.id, _MODEL, Scored(response, assessments, explain(prompt, assessments), verdicts, judged=True)
    )
