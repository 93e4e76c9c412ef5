"""Results as Weval's own viewer reads them (platform.md, "A result file that Weval's viewer reads")."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engine.blueprint.conversation import conversation
from engine.evaluation.events import Response, Scored
from engine.evaluation.point_assessment import assess
from engine.evaluation.result_json import Entry, dumps, result_json
from engine.evaluation.sources import Candidate, IdealSource, ModelSource, candidates, unique_keys
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse, weval_config
from engine.scoring.explanation_builder import explain
from tests.many_cases import every
from tests.world import CORPUS, needs_corpus

SCHEMA = json.loads((Path(__file__).parents[1] / "schemas" / "weval-result.schema.json").read_text("utf-8"))
MODEL = ModelSource("openai:m")
IDEAL = (Candidate(IdealSource()),)
PROMPTS = "\n---\n- {id: p, prompt: Hi?, ideal: Yes, should: [$contains: Yes, Is kind]}\n- {id: q, prompt: Why?}\n"


def exported(parsed: Parsed, javascript: JavaScript, by: tuple[Candidate, ...] | None = None) -> Any:
    """What is exported of the first two prompts with all variants of a model, or with the candidates `by`."""
    prompts, header = parsed.blueprint.prompts[:2], parsed.blueprint.header
    entries: list[Entry] = []
    for prompt, name in zip(prompts, unique_keys(prompts).values(), strict=True):
        for candidate in by or candidates(MODEL, header):
            thread = conversation(prompt, header, candidate.variant).answered(["Yes."])
            assessments = tuple(assess(prompt, "Yes.", javascript, thread=thread))
            scored = Scored(Response("Yes.", thread), assessments, explain(prompt, assessments))
            entries.append(Entry(prompt, name, candidate.key, scored, candidate.variant.suffix))
    when = datetime(2026, 3, 1, 9, 8, 7, 6_000, UTC)
    result = result_json(parsed.blueprint, weval_config(parsed), entries, path=parsed.path or Path("x.yml"), when=when)
    return json.loads(dumps(result))


def of(header: str, javascript: JavaScript, by: tuple[Candidate, ...] | None = None) -> Any:
    result = exported(parse(header + PROMPTS), javascript, by)
    Draft202012Validator(SCHEMA).validate(result)
    return result


@needs_corpus
@every("path", sorted(CORPUS.rglob("*.yml")), ids=str)
def test_every_blueprint_of_the_corpus_is_exported_as_the_viewer_reads_it(path: Path, javascript: JavaScript) -> None:
    parsed = parse(path.read_text("utf-8-sig"), path)
    if not parsed.weval.ok:
        return  # Weval runs no such file, so there is no result of one
    result = exported(parsed, javascript)
    Draft202012Validator(SCHEMA).validate(result)
    several = result["config"].get("systems") or []
    prompts = {result["modelSystemPrompts"][key] for key in result["effectiveModels"]}
    assert len(several) < 2 or prompts == set(several)


def test_a_list_of_system_prompts_becomes_systems(javascript: JavaScript) -> None:
    result = of('title: x\nmodels: ["openai:m"]\nsystem: [null, Be brief.]', javascript)
    assert result["config"]["systems"] == [None, "Be brief."]
    assert "system" not in result["config"]
    assert result["modelSystemPrompts"] == {"openai:m[sp_idx:0]": None, "openai:m[sp_idx:1]": "Be brief."}


def test_systems_stay_systems(javascript: JavaScript) -> None:
    result = of("title: x\nsystems: [Be brief., Be long.]\ntemperatures: [0, 1]", javascript)
    assert result["config"]["systems"] == ["Be brief.", "Be long."]
    assert result["modelSystemPrompts"]["openai:m[temp:1][sp_idx:1]"] == "Be long."
    assert set(result["modelSystemPrompts"]) == set(result["effectiveModels"])


@pytest.mark.parametrize("name", ["system", "systemPrompt"])
def test_one_system_prompt_is_that_of_every_model(javascript: JavaScript, name: str) -> None:
    result = of(f"title: x\n{name}: Be brief.", javascript)
    assert result["config"]["system"] == "Be brief."
    assert result["modelSystemPrompts"] == {"openai:m": "Be brief."}


def test_without_a_system_prompt_there_is_none(javascript: JavaScript) -> None:
    assert of("title: x", javascript)["modelSystemPrompts"] == {"openai:m": None}


def test_prompts_that_differ_in_theirs_leave_that_of_the_header(javascript: JavaScript) -> None:
    text = "title: x\nsystem: Be brief.\n---\n- {id: p, prompt: a, system: Be long.}\n- {id: q, prompt: b}\n"
    assert exported(parse(text), javascript)["modelSystemPrompts"] == {"openai:m": "Be brief."}


def test_prompts_that_share_their_own_tell_it(javascript: JavaScript) -> None:
    text = "title: x\n---\n- {id: p, prompt: a, system: Be long.}\n- {id: q, prompt: b, system: Be long.}\n"
    assert exported(parse(text), javascript)["modelSystemPrompts"] == {"openai:m": "Be long."}


def test_an_ideal_was_told_nothing(javascript: JavaScript) -> None:
    assert of("title: x\nsystem: Be brief.", javascript, IDEAL)["modelSystemPrompts"] == {"ideal": None}


@pytest.mark.parametrize("models", ["", "models: [CORE]"])
def test_models_are_always_a_list(javascript: JavaScript, models: str) -> None:
    assert of(f"title: x\n{models}", javascript)["config"]["models"] == ["CORE"]


def test_without_judges_there_is_no_agreement_not_even_null(javascript: JavaScript) -> None:
    coverage = of("title: x", javascript)["evaluationResults"]["llmCoverageScores"]["p"]["openai:m"]
    assert "judgeAgreement" not in coverage


def test_a_run_without_a_title_or_a_label_has_its_id_and_a_name(javascript: JavaScript) -> None:
    result = of("description: x", javascript)
    assert (result["configTitle"], result["runLabel"]) == ("x", "run")


def test_the_moment_is_written_as_in_the_names_of_files(javascript: JavaScript) -> None:
    assert of("title: x", javascript)["timestamp"] == "2026-03-01T09-08-07-006Z"
