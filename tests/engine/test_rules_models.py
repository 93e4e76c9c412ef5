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
from engine.text.spans import apply_edits

PROMPTS = "---\n- id: a\n  prompt: b\n  should:\n    - c\n"


def of(slug: str, text: str, path: Path | None = None) -> list[Diagnostic]:
    return [found for found in check(parse(text, path)) if found.slug == slug]


def models(*written: str) -> str:
    return "title: T\nmodels:\n" + "".join(f"  - {each}\n" for each in written) + PROMPTS


# model-format


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ('"openai: gpt-4o"', '"openai:gpt-4o"'),
        ("openai: gpt-4o", "openai:gpt-4o"),
        ("' openai:gpt-4o'", "'openai:gpt-4o'"),
        ("OpenAI:gpt-4o", "openai:gpt-4o"),
        ("core", "CORE"),
        ("Open_Source_Core", "OPEN_SOURCE_CORE"),
    ],
)
def test_blanks_and_capitals_of_a_model_are_mended_safely(written: str, right: str) -> None:
    assert [found.slug for found in check(parse(models(written)))] == ["model-format"]
    assert fix_text(models(written), None).text == models(right)


@pytest.mark.parametrize(
    ("written", "severity"),
    [("OpenAI:gpt-4o", Severity.WARNING), ("core", Severity.ERROR), ("openai: gpt-4o", Severity.ERROR)],
)
def test_what_can_be_asked_all_the_same_is_a_warning(written: str, severity: Severity) -> None:
    [found] = of("model-format", models(written))
    assert found.severity is severity


@pytest.mark.parametrize(
    ("written", "options"),
    [
        ("gpt-4o-mini", ["openai:gpt-4o-mini"]),
        ("claude-3.5-haiku", ["anthropic:claude-3.5-haiku"]),
        ("google/gemini-pro", ["google:gemini-pro", "openrouter:google/gemini-pro"]),
        ("qwen/qwen3-32b", ["openrouter:qwen/qwen3-32b"]),
        ("mymodel", []),
        ("'openai:'", []),
        ("':gpt-4o'", []),
    ],
)
def test_a_name_without_provider_is_an_error_with_what_may_be_meant(written: str, options: list[str]) -> None:
    text = models(written)
    [found] = of("model-format", text)
    assert found.severity is Severity.ERROR
    assert [fix.safe for fix in found.fixes] == [False] * len(options)
    assert [apply_edits(text, fix.edits) for fix in found.fixes] == [models(option) for option in options]


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


def test_a_model_that_is_no_text_is_refused() -> None:
    [found] = check(parse(models("5")))
    assert (found.slug, found.severity) == ("model-format", Severity.ERROR)


# unknown-provider


def test_a_misspelt_provider_is_marked_alone_with_the_nearest() -> None:
    text = models("opnai:gpt-4o")
    [found] = of("unknown-provider", text)
    assert (found.severity, found.span.of(text), found.fixes[0].safe) == (Severity.ERROR, "opnai", False)
    assert apply_edits(text, found.fixes[0].edits) == models("openai:gpt-4o")


def test_a_provider_of_this_machine_works_here_and_not_on_weval() -> None:
    [found] = of("unknown-provider", models("ollama:llama3"))
    assert (found.severity, found.flagged) == (Severity.WARNING, True)


def test_so_does_a_hosted_provider_that_only_this_program_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HOSTED, "groq", Row("Groq", "https://groq.example/v1", "GROQ_API_KEY"))
    [found] = of("unknown-provider", models("groq:llama-3"))
    assert (found.severity, found.flagged) == (Severity.WARNING, True)


def test_a_model_of_ones_own_may_be_named_by_its_id() -> None:
    own = "{id: 'local:llama', url: 'http://localhost/v1', modelName: m, inherit: openai}"
    assert check(parse(models(own, "local:llama"))) == ()


# unknown-collection


def test_a_collection_that_nobody_has_is_a_warning_with_the_nearest() -> None:
    text = models("FRONTEIR")
    [found] = of("unknown-collection", text)
    assert (found.severity, found.span.of(text)) == (Severity.WARNING, "FRONTEIR")
    assert apply_edits(text, found.fixes[0].edits) == models("FRONTIER")


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


def test_the_name_of_a_collection_is_in_capitals() -> None:
    assert listed('["openai:gpt-4o"]', "models/mine.json") == [("model-format", '["openai:gpt-4o"]')]


def test_slips_in_a_collection_are_mended_as_json() -> None:
    mended = fix_text('["openai: gpt-4o"]', Path("models/MINE.json")).text
    assert json.loads(mended) == ["openai:gpt-4o"]


def test_a_blueprint_in_a_folder_called_models_stays_one() -> None:
    text = '{"prompts": [{"id": "a", "prompt": "b", "shoud": ["c"]}]}'
    assert "unknown-key" in {slug for slug, _ in listed(text, "models/MINE.json")}


# custom-model-incomplete


def test_everything_that_a_model_of_ones_own_lacks_is_named_at_once() -> None:
    [found] = of("custom-model-incomplete", models("{id: 'x:y', url: 'http://localhost'}"))
    assert found.severity is Severity.ERROR
    assert "`modelName` and `inherit`" in found.message


def test_an_inherit_that_nobody_knows_is_a_warning() -> None:
    text = models("{id: 'x:y', url: 'http://localhost', modelName: m, inherit: ollama}")
    [found] = of("custom-model-incomplete", text)
    assert (found.severity, found.span.of(text)) == (Severity.WARNING, "ollama")


# missing-variable


def own(header: str) -> str:
    return models(f"{{id: 'x:y', url: 'http://localhost', modelName: m, inherit: openai, headers: {{A: '{header}'}}}}")


def test_a_variable_that_is_not_set_here_is_a_hint_told_once() -> None:
    text = own("${NOT_SET_HERE} ${NOT_SET_HERE}")
    [found] = of("missing-variable", text)
    assert (found.severity, found.span.of(text)) == (Severity.HINT, "${NOT_SET_HERE}")
    assert "2 times" in found.message


def test_a_variable_that_is_set_is_fine_and_its_value_is_told_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET_HERE", "hush")
    assert check(parse(own("${SET_HERE}"))) == ()


def test_a_variable_of_a_service_counts_and_one_of_a_script_does_not() -> None:
    services = "title: T\nexternalServices:\n  s:\n    url: https://example.org/${NOT_SET_HERE}\n"
    assert len(of("missing-variable", services + PROMPTS)) == 1
    assert of("missing-variable", f"title: T\npoint_defs:\n  d: 'r + `${{x}}`'\n{PROMPTS}") == []


# bad-judge


def judge(written: str) -> str:
    return f"title: T\nevaluationConfig:\n  llm-coverage:\n    judges: {written}\n{PROMPTS}"


@pytest.mark.parametrize(
    ("written", "marked"),
    [
        ("[{approach: holistic}]", "{approach: holistic}"),
        ("[{model: '', approach: holistic}]", "''"),
        ("[{model: 5, approach: holistic}]", "5"),
        ("[{model: 'openai:gpt-4o', approach: whole}]", "whole"),
        ("['openai:gpt-4o']", "'openai:gpt-4o'"),
        ("openai:gpt-4o", "openai:gpt-4o"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_an_error(written: str, marked: str) -> None:
    text = judge(written)
    [found] = of("bad-judge", text)
    assert (found.severity, found.span.of(text)) == (Severity.ERROR, marked)


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


def test_dashes_without_a_space_are_told_and_given_one() -> None:
    text = (
        "title: t\nmodels:\n  -openai:gpt-4o\n  -openai:gpt-4o-mini\n---\n- id: a\n  prompt: b?\n  should: [Says b]\n"
    )
    [report] = of("model-format", text)
    assert report.message == "put a space after `-`: without it, `models` is not a list"
    assert apply_edits(text, report.fixes[0].edits) == text.replace("-openai", "- openai")
