"""Who judges, by which scale, and what that will send."""

from __future__ import annotations

import pytest

from engine.blueprint import Header
from engine.judging.judge_prompt import SentText, count_text_points, sent_texts
from engine.judging.panel import (
    ALL_SCALES,
    FIVE_STEPS,
    TEN_STEPS,
    Approach,
    BackupWhen,
    JudgesAs,
    Panel,
    PanelJudge,
    Scale,
    find_step,
    panel,
    scale_in_force,
)
from engine.parsing import parse
from engine.scoring.assessment import Grade
from tests.engine.builders import check, prompt, text


def header(coverage: str = "") -> Header:
    """The header of a blueprint with these lines under `llm-coverage`."""
    lines = "".join(f"    {line}\n" for line in coverage.splitlines())
    configured = f"evaluationConfig:\n  llm-coverage:\n{lines}" if lines else ""
    return parse(f"title: T\n{configured}---\n- prompt: q\n  should: [a]\n").blueprint.header


CUSTOM = """\
judges:
  - id: primary-judge
    model: anthropic:claude-3-5-sonnet
    approach: holistic
  - model: openai:gpt-4o
    approach: prompt-aware
useExperimentalScale: true
"""


# Scales


def test_the_documented_scale_has_the_five_classes_by_which_authors_grade() -> None:
    assert [(step.name, step.extent) for step in FIVE_STEPS.steps] == [(grade.value, grade.extent) for grade in Grade]


def test_the_experimental_scale_has_the_ten_documented_extents() -> None:
    extents = [0.0, 0.001, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0]
    assert [step.extent for step in TEN_STEPS.steps] == extents


@pytest.mark.parametrize(
    ("judges_as", "coverage", "scale"),
    [
        (JudgesAs.DOCUMENTED, "", FIVE_STEPS),
        (JudgesAs.DOCUMENTED, "useExperimentalScale: false", FIVE_STEPS),
        (JudgesAs.DOCUMENTED, "useExperimentalScale: true", TEN_STEPS),
        (JudgesAs.WEVAL_TODAY, "", TEN_STEPS),
        (JudgesAs.WEVAL_TODAY, "useExperimentalScale: false", TEN_STEPS),
    ],
)
def test_ten_steps_are_documented_on_request_and_on_weval_today_always(
    judges_as: JudgesAs, coverage: str, scale: Scale
) -> None:
    assert scale_in_force(header(coverage), judges_as) is scale


@pytest.mark.parametrize("scale", [FIVE_STEPS, TEN_STEPS], ids=lambda scale: scale.name)
def test_the_examples_of_a_scale_use_its_own_classes(scale: Scale) -> None:
    names = [step.name for step in scale.steps]
    assert len(scale.examples) >= 3
    assert all(example.name in names for example in scale.examples)


@pytest.mark.parametrize("scale", ALL_SCALES, ids=lambda scale: scale.name)
def test_a_class_is_known_by_its_name_in_any_writing(scale: Scale) -> None:
    for step in scale.steps:
        assert scale.step(step.name) is scale.step(step.label) is scale.step(step.name.lower()) is step


def test_a_name_of_no_scale_is_not_understood() -> None:
    assert find_step("CLASS_WONDERFUL", FIVE_STEPS) is find_step("", FIVE_STEPS) is None


# Panels


def test_the_documented_judges_are_the_default_with_their_backup() -> None:
    judges = panel(header())
    assert [(judge.id, judge.model, judge.approach) for judge in judges.judges] == [
        (
            "holistic-qwen3-30b-a3b-instruct-2507",
            "openrouter:qwen/qwen3-30b-a3b-instruct-2507",
            Approach.HOLISTIC,
        ),
        ("holistic-openai-gpt-oss-120b", "openrouter:openai/gpt-oss-120b", Approach.HOLISTIC),
    ]
    assert judges.backup is not None
    assert (judges.backup.model, judges.backup.approach) == ("anthropic:claude-3.5-haiku", Approach.HOLISTIC)
    assert (judges.custom, judges.scale) == (False, FIVE_STEPS)


def test_weval_s_judges_of_today_are_three() -> None:
    judges = panel(header(), JudgesAs.WEVAL_TODAY)
    assert [judge.label for judge in judges.judges] == [
        "holistic-gemini-2-5-flash(openrouter:google/gemini-2.5-flash)",
        "holistic-gpt-4-1-mini(openrouter:openai/gpt-4.1-mini)",
        "holistic-claude-haiku-4-5(openrouter:anthropic/claude-haiku-4.5)",
    ]
    assert judges.backup is not None
    assert judges.backup.model == "openrouter:anthropic/claude-haiku-4.5"


@pytest.mark.parametrize(
    ("judges_as", "when", "asked_after"),
    [(JudgesAs.DOCUMENTED, BackupWhen.ALL_FAILED, [0]), (JudgesAs.WEVAL_TODAY, BackupWhen.ANY_FAILED, [0, 1, 2])],
)
def test_the_backup_is_documented_for_all_failing_and_asked_today_when_any_fails(
    judges_as: JudgesAs, when: BackupWhen, asked_after: list[int]
) -> None:
    judges = panel(header(), judges_as)
    assert judges.backup_when is when
    assert [count for count in range(len(judges.judges) + 1) if judges.needs_backup(count)] == asked_after


@pytest.mark.parametrize("judges_as", JudgesAs)
def test_judges_that_a_blueprint_names_stand_alone(judges_as: JudgesAs) -> None:
    judges = panel(header(CUSTOM), judges_as)
    assert judges.judges == (
        PanelJudge("primary-judge", "anthropic:claude-3-5-sonnet", Approach.HOLISTIC),
        PanelJudge("prompt-aware", "openai:gpt-4o", Approach.PROMPT_AWARE),
    )
    assert (judges.custom, judges.backup, judges.needs_backup(0)) == (True, None, False)
    assert judges.scale is TEN_STEPS


def test_judge_models_become_judges_where_no_judges_are_written() -> None:
    judges = panel(header("judgeModels: ['openai:gpt-4o', 'openai:gpt-4o-mini']\njudgeMode: failover"))
    assert judges.judges == (
        PanelJudge("prompt-aware", "openai:gpt-4o", Approach.PROMPT_AWARE),
        PanelJudge("prompt-aware", "openai:gpt-4o-mini", Approach.PROMPT_AWARE),
    )
    assert (judges.custom, judges.backup) == (True, None)


def test_judge_models_are_not_read_beside_judges() -> None:
    judges = panel(header(f"{CUSTOM}judgeModels: ['openai:gpt-4o-mini']"))
    assert "openai:gpt-4o-mini" not in [judge.model for judge in judges.judges]


@pytest.mark.parametrize(
    "written", ["judges: []", "judges: null", "judgeModels: []", "judgeMode: consensus", "judges: 3"]
)
def test_where_nobody_is_named_the_defaults_judge(written: str) -> None:
    assert not panel(header(written)).custom


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            "{model: 'openai:gpt-4o', approach: strict}",
            "openai:gpt-4o has the approach `strict`; write one of `standard`, `prompt-aware`, `holistic`",
        ),
        (
            "{model: 'openai:gpt-4o'}",
            "openai:gpt-4o has no approach; write one of `standard`, `prompt-aware`, `holistic`",
        ),
        (
            "{model: 'embedded:smollm2', approach: holistic}",
            "embedded:smollm2 is too weak to judge: name another model",
        ),
        ("{approach: holistic}", "an entry of `judges` without a model"),
        ("{model: '', approach: holistic}", "an entry of `judges` without a model"),
        ("holistic", "an entry of `judges` without a model"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_reported_and_nobody_takes_its_place(judge: str, message: str) -> None:
    judges = panel(header(f"judges:\n  - {judge}"))
    assert judges == Panel((), FIVE_STEPS, custom=True, left_out=(message,))


def test_the_embedded_model_does_not_judge_as_a_judge_model_either() -> None:
    judges = panel(header("judgeModels: ['embedded:smollm2', 'openai:gpt-4o']"))
    assert [judge.model for judge in judges.judges] == ["openai:gpt-4o"]
    assert judges.left_out == ("embedded:smollm2 is too weak to judge: name another model",)


def test_the_others_judge_where_one_cannot_be_asked() -> None:
    judges = panel(header("judges: [{model: 'a:x', approach: standard}, {model: 'a:y'}, {}]"))
    assert [judge.model for judge in judges.judges] == ["a:x"]
    assert len(judges.left_out) == 2


# What a run sends


def test_holistic_judges_are_sent_the_description_and_all_criteria_beside_what_all_are_sent() -> None:
    holistic, standard = panel(header(CUSTOM)).judges
    both = (SentText.CONVERSATION, SentText.CRITERION)
    assert sent_texts(standard, described=True) == both
    assert sent_texts(holistic, described=True) == (*both, SentText.DESCRIPTION, SentText.CRITERIA)
    assert sent_texts(holistic, described=False) == (*both, SentText.CRITERIA)


def test_only_points_in_words_are_for_judges() -> None:
    assert count_text_points(prompt([text("a"), check("is_json", True), [text("b")]], [text("c")])) == 3
