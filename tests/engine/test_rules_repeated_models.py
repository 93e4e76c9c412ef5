"""Models that a blueprint names twice: in its list, and as judge and candidate."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.parsing import parse
from engine.text.spans import apply_edits
from tests.engine.rule_reports import reported

PROMPT = "---\n- id: p\n  prompt: q\n  should: [Names a court]\n"


def listed(*models: str) -> str:
    return "title: T\nmodels:\n" + "".join(f"  - {model}\n" for model in models) + PROMPT


def judged(judge: str, *models: str) -> str:
    judges = f"evaluationConfig:\n  llm-coverage:\n    judges:\n      - {{model: {judge}, approach: holistic}}\n"
    return listed(*models).replace(PROMPT, judges + PROMPT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("openai:gpt-4o", "openai:gpt-4o"),
        ("'openai:gpt-4o'", '"openai:gpt-4o"'),
        ("openai:gpt-4o", "'openai: gpt-4o'"),
        ("CORE", "CORE"),
    ],
)
def test_a_model_that_is_named_twice_is_reported_at_the_second(one: str, other: str) -> None:
    text = listed(one, "mistral:mistral-large-latest", other)
    [found] = reported(parse(text), "duplicate-model")
    assert found.span.start > text.index("mistral-large")
    assert [related.span.of(text) for related in found.related] == [one]


def test_the_fix_removes_the_second() -> None:
    text = listed("openai:gpt-4o", "mistral:mistral-large-latest", "openai:gpt-4o")
    [found] = reported(parse(text), "duplicate-model")
    [fix] = found.fixes
    assert not fix.safe
    assert apply_edits(text, fix.edits) == listed("openai:gpt-4o", "mistral:mistral-large-latest")


def test_of_three_the_second_and_the_third_are_reported() -> None:
    assert len(reported(parse(listed(*["openai:gpt-4o"] * 3)), "duplicate-model")) == 2


def test_two_custom_models_with_one_id_have_no_fix() -> None:
    custom = "{{id: 'local:x', url: 'http://localhost:{}/v1', modelName: m, inherit: openai}}"
    [found] = reported(parse(listed(custom.format(1), custom.format(2))), "duplicate-model")
    assert found.message == "two models have the id `local:x`: their answers and scores are under one name"
    assert found.fixes == ()


@pytest.mark.parametrize(
    "models",
    [
        ("openai:gpt-4o", "openai:gpt-4o-mini"),
        ("openai:gpt-4o", "openrouter:openai/gpt-4o"),
        ("CORE", "QUICK"),
        (),
    ],
)
def test_different_models_are_silent(models: tuple[str, ...]) -> None:
    assert reported(parse(listed(*models)), "duplicate-model") == []


def test_the_file_of_a_collection_is_checked_too() -> None:
    text = '["openai:gpt-4o", "openai:gpt-4o"]\n'
    assert len(reported(parse(text, Path("models/MINE.json")), "duplicate-model")) == 1


@pytest.mark.parametrize("judge", ["openai:gpt-4o", "'openai:gpt-4o'", "openrouter:openai/gpt-4o"])
def test_a_judge_that_is_evaluated_is_a_hint_that_shows_where(judge: str) -> None:
    text = judged(judge, "mistral:mistral-large-latest", "openai:gpt-4o")
    [found] = reported(parse(text), "judge-is-candidate")
    assert found.severity == "hint"
    assert "grades its own answers" in found.message
    assert [related.span.of(text) for related in found.related] == ["openai:gpt-4o"]


def test_a_custom_model_may_be_both() -> None:
    custom = "{id: 'local:x', url: 'http://localhost:1/v1', modelName: m, inherit: openai}"
    assert len(reported(parse(judged("'local:x'", custom)), "judge-is-candidate")) == 1


def test_judge_models_of_the_old_form_count() -> None:
    text = judged("x", "openai:gpt-4o").replace(
        "judges:\n      - {model: x, approach: holistic}", "judgeModels: ['openai:gpt-4o']"
    )
    assert len(reported(parse(text), "judge-is-candidate")) == 1


@pytest.mark.parametrize(
    ("judge", "models"),
    [
        ("openai:gpt-4o", ("openai:gpt-4o-mini", "CORE")),
        ("openai:gpt-4o", ()),
        ("anthropic:claude-3-5-sonnet", ("anthropic:claude-3-haiku-20240307",)),
    ],
)
def test_another_judge_is_silent(judge: str, models: tuple[str, ...]) -> None:
    assert reported(parse(judged(judge, *models)), "judge-is-candidate") == []
