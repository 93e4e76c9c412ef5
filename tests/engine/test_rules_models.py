"""Models, collections and their files, models of one's own, variables, and judges."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from engine.models.provider_registry import HOSTED, Row, without_slips
from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.rules.registry import NAMES, RETIRED, no_such_rule, retired_named
from engine.rules.selection import EVERYTHING, Level, RuleSelection, all_for_weval, selection_in
from engine.rules.source.named_models import corrected
from engine.text.diagnostics import Diagnostic, Severity
from studio.example import EXAMPLE, TEMPLATES, Sample, read
from tests.checked_corpus import checked_corpus
from tests.engine.rule_reports import found, only, reported, should, underlined
from tests.many_cases import every
from tests.world import needs_corpus

# Models, collections and their files, models of one's own, variables, and judges


PROMPTS = "---\n- id: a\n  prompt: b\n  should:\n    - c\n"


def of(slug: str, text: str, path: Path | None = None) -> list[Diagnostic]:
    return [found for found in check(parse(text, path)) if found.slug == slug]


def models(*written: str) -> str:
    return "title: T\nmodels:\n" + "".join(f"  - {each}\n" for each in written) + PROMPTS


# model-format


# unknown-provider


def test_so_does_a_hosted_provider_that_only_this_program_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HOSTED, "groq", Row("Groq", "https://groq.example/v1", "GROQ_API_KEY"))
    [found] = of("unknown-provider", models("groq:llama-3"))
    assert (found.severity, found.flagged) == (Severity.WARNING, True)


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


@every("name", [" openai:x", "OpenAI:x", "Ollama:x", "openai:Y", "CORE", "a b", "x:y", "", " : "])
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


# missing-variable


def own(header: str) -> str:
    return models(f"{{id: 'x:y', url: 'http://localhost', modelName: m, inherit: openai, headers: {{A: '{header}'}}}}")


def test_a_variable_that_is_set_is_fine_and_its_value_is_told_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET_HERE", "hush")
    assert check(parse(own("${SET_HERE}"))) == ()


# bad-judge


# services


def test_factcheck_is_told_once_a_file_and_only_where_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    text = should("$factcheck: dates", "$factcheck: names")
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    assert only(text, "factcheck-endpoint").message.startswith("2 checks of this file")
    monkeypatch.setenv("FACTCHECK_ENDPOINT_URL", "https://example.org")
    assert found(text, "factcheck-endpoint") == []


def test_a_missing_endpoint_is_a_hint_that_calls_nothing_in_the_file_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    one = only(should("$factcheck: dates"), "factcheck-endpoint")
    assert one.severity is Severity.HINT
    assert "where the file runs" in one.message
    assert one.why.startswith("The file is right if the variable is set there")


def test_the_opposite_of_factcheck_needs_the_same_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    assert underlined(should("$not_factcheck: dates"), "factcheck-endpoint") == "$not_factcheck"


# The table of retired rules: their names are never used again, and are accepted wherever a rule can be named


RETIRED_NAMES = [name for each in RETIRED for name in (each.slug, each.code, each.slug.upper(), each.code.lower())]


def test_no_slug_and_no_code_is_used_again() -> None:
    names = [name for each in (*ALL, *RETIRED) for name in (each.slug, each.code)]
    assert len(names) == len(set(names))


def test_what_takes_its_place_is_a_rule_or_a_line_of_the_review() -> None:
    assert {each.why for each in RETIRED} - {"", "a line of `studio review`"} <= {rule.slug for rule in ALL}


@every("comment", ["ignore[{}]", "ignore[{}] once meant", "ignore[no-rubric, {}]"])
def test_a_comment_may_name_it(comment: str) -> None:
    for name in RETIRED_NAMES:
        for text in (
            f"- id: a\n  prompt: What?\n  should:\n    - Names it # studio: {comment.format(name)}\n",
            f"# studio: {comment.format(name).replace('ignore', 'ignore-file')}\n- id: a\n  prompt: What?\n"
            "  should:\n    - Names it\n",
        ):
            said = [one.message for one in check(parse(text)) if "suppression" in one.slug]
            assert not any(name in each for each in said)


def test_a_misspelt_one_is_not_taken_for_a_rule() -> None:
    for each in RETIRED:
        text = f"- id: a\n  prompt: What?\n  should:\n    - Names it # studio: ignore[{each.slug}x] no\n"
        [found] = [one for one in check(parse(text)) if one.slug == "unknown-suppression"]
        assert each.slug not in [fix.edits[0].text for fix in found.fixes]
        assert each.slug not in NAMES.nearest(f"{each.slug}x")
    assert no_such_rule("slow-regexx") == "There is no rule “slow-regexx”. `studio rules` lists them."


def test_the_settings_may_name_it() -> None:
    for name in RETIRED_NAMES:
        table = {
            "select": ["no-rubric", name],
            "ignore": [name],
            "severity": {name: "error"},
            "per-file-ignores": {"*.yml": [name]},
        }
        assert selection_in(table).problems == ()


def test_it_is_found_by_slug_and_code() -> None:
    for each in RETIRED:
        assert retired_named(each.slug) == retired_named(f" {each.code.lower()} ") == each
        assert NAMES.spelled(each.code.lower()) == each.code
    assert retired_named("bad-regex") is retired_named("no rule") is None


# What is off by default: reported where its rule is selected by name, and where a rule may be suppressed unused


DEPRECATED = "id: x\ntitle: T\n---\n- id: p\n  prompt: q\n  should: [Names a court]\n"
UNWRITTEN = "- id: p\n  prompt: q\n  should:\n    -\n    - Names a court\n"
UNASKED = "- id: p\n  prompt:\n  should: [Names a court]\n"
SHOWN = "".join(f"- id: p{number}\n  prompt: Draw {number} cats\n  render_as: html\n" for number in range(3))
EVEN = (
    "- id: p\n  prompt: q\n  should:\n    - Names a court\n    - Names a judge\n"
    "    - - Names Lagos\n      - Names Abuja\n    - - Names Cairo\n      - Names Giza\n"
)
QUIET = {
    "deprecated-key": DEPRECATED,
    "not-written-yet": UNWRITTEN,
    "no-rubric": SHOWN,
    "path-outweighs": EVEN,
}


def selecting(slug: str) -> RuleSelection:
    return RuleSelection(select=frozenset(rule.code for rule in ALL if rule.slug == slug))


@every(("slug", "text"), QUIET.items())
def test_a_rule_that_is_selected_reports_it_as_a_hint(slug: str, text: str) -> None:
    found = Checker(selecting(slug).rules()).check(parse(text))
    assert [(one.slug, one.severity) for one in found] == [(slug, Severity.HINT)]


def test_a_level_in_the_settings_switches_a_rule_on_that_is_off() -> None:
    [code] = [rule.code for rule in ALL if rule.slug == "deprecated-key"]
    selection = RuleSelection(levels=((code, Level.WARNING),))
    found = selection.reported(Checker(selection.rules()).check(parse(DEPRECATED)))
    assert [(one.slug, one.severity) for one in found] == [("deprecated-key", Severity.WARNING)]


def test_a_level_in_the_settings_leaves_out_what_is_off_within_a_rule() -> None:
    [code] = [rule.code for rule in ALL if rule.slug == "path-outweighs"]
    selection = RuleSelection(levels=((code, Level.ERROR),))
    assert selection.reported(Checker(selection.rules()).check(parse(EVEN))) == ()


def test_a_comment_that_suppresses_what_is_off_is_not_unused() -> None:
    text = EVEN.replace("    - - Names Lagos", "    # studio: ignore[path-outweighs] as meant\n    - - Names Lagos")
    assert check(parse(text)) == ()
    assert reported(parse(text), "path-outweighs") == []


@every("sample", TEMPLATES, ids=lambda sample: sample.file)
def test_a_fresh_file_from_a_template_waits_for_its_question(sample: Sample) -> None:
    assert [(one.slug, one.severity) for one in check(parse(read(sample.file)))] == [("no-question", Severity.WARNING)]


def test_the_example_reports_its_four_mistakes_and_nothing_else() -> None:
    found = [(one.slug, one.severity) for one in check(parse(read(EXAMPLE.file)))]
    assert found == [
        ("single-element-path", Severity.WARNING),
        ("quoted-function", Severity.ERROR),
        ("ambiguous-negative", Severity.WARNING),
        ("colon-made-citation", Severity.WARNING),
    ]


def test_every_rule_that_is_off_is_selected_by_its_name_alone() -> None:
    off = [rule for rule in ALL if rule.off]
    assert [rule.slug for rule in off if rule in EVERYTHING.rules()] == []
    assert all(selecting(rule.slug).rules() == (rule.selected(),) for rule in off)


@needs_corpus
def test_the_median_file_without_an_error_has_no_warning() -> None:
    found = [reports for _, reports in checked_corpus()]
    sound = [each for each in found if not any(one.severity is Severity.ERROR for one in each)]
    warnings = [sum(one.severity is Severity.WARNING for one in each) for each in sound]
    assert len(sound) > len(found) / 2
    assert median(warnings) == 0


@pytest.mark.parametrize(("text", "slug"), [(UNWRITTEN, "not-written-yet"), (UNASKED, "no-question")])
def test_what_weval_refuses_as_unwritten_is_an_error_for_weval(text: str, slug: str) -> None:
    parsed = parse(text)
    assert [(one.slug, one.severity) for one in all_for_weval(parsed, check(parsed))] == [(slug, Severity.ERROR)]
