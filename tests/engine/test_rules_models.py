"""Models, collections and their files, models of one's own, variables, and judges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.models.provider_registry import HOSTED, Row, without_slips
from engine.parsing import parse
from engine.rules import Checker, check
from engine.rules.fixes import fix_text
from engine.rules.source.named_models import corrected
from engine.text.diagnostics import Diagnostic, Severity

PROMPTS = "---\n- id: a\n  prompt: b\n  should:\n    - c\n"


def of(slug: str, text: str, path: Path | None = None) -> list[Diagnostic]:
    return [found for found in check(parse(text, path)) if found.slug == slug]


def models(*written: str) -> str:
    return "title: T\nmodels:\n" + "".join(f"  - {each}\n" for each in written) + PROMPTS


# model-format


@pytest.mark.parametrize(
    "written",
    [
        "openai:gpt-4o",
        "openai:ft:gpt-4o:me::x",
        "openrouter:google/gemini-2.0-flash-exp:free",
        "CORE",
        "consumer:chatgpt",
    ],
)
def test_names_as_documented_are_fine(written: str) -> None:
    assert check(parse(models(written))) == ()


# unknown-provider


def test_so_does_a_hosted_provider_that_only_this_program_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HOSTED, "groq", Row("Groq", "https://groq.example/v1", "GROQ_API_KEY"))
    [found] = of("unknown-provider", models("groq:llama-3"))
    assert (found.severity, found.flagged) == (Severity.WARNING, True)


def test_a_model_of_ones_own_may_be_named_by_its_id() -> None:
    own = "{id: 'local:llama', url: 'http://localhost/v1', modelName: m, inherit: openai}"
    assert check(parse(models(own, "local:llama"))) == ()


# unknown-collection


def test_a_collection_above_the_file_is_known(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "MINE.json").write_text("[]")
    assert of("unknown-collection", models("MINE"), tmp_path / "blueprints" / "deep" / "a.yml") == []


def test_a_folder_of_collections_that_is_named_holds_instead_of_those_above(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "MINE.json").write_text("[]")
    checker = Checker(collections=tmp_path / "lists")
    [found] = checker.check(parse(models("MINE", "OURS"), tmp_path / "a.yml"))
    assert found.message == f"Weval publishes no collection `OURS`, and there is no `OURS.json` in {tmp_path / 'lists'}"


@pytest.mark.parametrize("name", [" openai:x", "OpenAI:x", "Ollama:x", "openai:Y", "CORE", "a b", "x:y", "", " : "])
def test_a_name_is_corrected_as_a_run_corrects_it(name: str) -> None:
    assert corrected(name) == without_slips(name)


def test_folders_are_read_once_for_many_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 1_000_000.0)
    path = tmp_path / "blueprints" / "a.yml"
    assert len(of("unknown-collection", models("MINE"), path)) == 1
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "MINE.json").write_text("[]")
    assert len(of("unknown-collection", models("MINE"), path)) == 1
    monkeypatch.setattr("time.monotonic", lambda: 1_000_010.0)
    assert of("unknown-collection", models("MINE"), path) == []


# the files of collections


def listed(text: str, name: str = "models/MINE.json") -> list[tuple[str, str]]:
    return [(found.slug, found.span.of(text)) for found in check(parse(text, Path(name)))]


def test_a_collection_is_not_checked_as_a_blueprint() -> None:
    assert listed('["openai:gpt-4o", "openrouter:openai/gpt-4o"]') == []
    assert listed("[]") == []


@pytest.mark.parametrize(
    ("text", "reports"),
    [
        ('["gpt-4o"]', [("model-format", '"gpt-4o"')]),
        ('["CORE"]', [("model-format", '"CORE"')]),
        ("[4]", [("model-format", "4")]),
        ('["opnai:gpt-4o"]', [("unknown-provider", "opnai")]),
        ('{"models": []}', [("model-format", '{"models": []}')]),
        ('["openai:gpt-4o"', [("yaml-syntax", "")]),
    ],
)
def test_what_a_collection_lists_is_provider_and_model(text: str, reports: list[tuple[str, str]]) -> None:
    assert listed(text) == reports


def test_slips_in_a_collection_are_mended_as_json() -> None:
    mended = fix_text('["openai: gpt-4o"]', Path("models/MINE.json")).text
    assert json.loads(mended) == ["openai:gpt-4o"]


# missing-variable


def own(header: str) -> str:
    return models(f"{{id: 'x:y', url: 'http://localhost', modelName: m, inherit: openai, headers: {{A: '{header}'}}}}")


def test_a_variable_that_is_set_is_fine_and_its_value_is_told_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET_HERE", "hush")
    assert check(parse(own("${SET_HERE}"))) == ()


# bad-judge


def judge(written: str) -> str:
    return f"title: T\nevaluationConfig:\n  llm-coverage:\n    judges: {written}\n{PROMPTS}"


@pytest.mark.parametrize("written", ["Prompt_Aware", "prompt aware", "PROMPT-AWARE"])
def test_an_approach_that_is_off_by_capitals_or_the_hyphen_is_mended(written: str) -> None:
    text = judge(f"[{{model: 'openai:gpt-4o', approach: {written}}}]")
    assert fix_text(text, None).text == judge("[{model: 'openai:gpt-4o', approach: prompt-aware}]")


@pytest.mark.parametrize(
    "written", ["[]", "[{model: 'openai:gpt-4o', approach: standard, id: x}]", "[{model: 'xai:g', approach: holistic}]"]
)
def test_judges_as_documented_are_fine(written: str) -> None:
    assert check(parse(judge(written))) == ()


def test_the_model_of_a_judge_is_checked_like_any_other() -> None:
    wrong = judge("[{model: 'opnai:gpt-4o', approach: standard}]")
    assert [found.slug for found in check(parse(wrong))] == ["unknown-provider"]
    assert [found.slug for found in check(parse(judge("[{model: CORE, approach: standard}]")))] == ["model-format"]
