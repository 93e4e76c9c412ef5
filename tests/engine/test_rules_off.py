"""What is off by default: reported where its rule is selected by name, and where a rule may be suppressed unused."""

from __future__ import annotations

from statistics import median

import pytest

from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.rules.selection import EVERYTHING, Level, RuleSelection, all_for_weval
from engine.text.diagnostics import Severity
from studio.example import EXAMPLE, TEMPLATES, Sample, read
from tests.checked_corpus import checked_corpus
from tests.engine.rule_reports import reported
from tests.world import needs_corpus

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


@pytest.mark.parametrize(("slug", "text"), QUIET.items(), ids=QUIET)
def test_by_default_nothing_is_reported(slug: str, text: str) -> None:
    assert slug not in {one.slug for one in check(parse(text))}


@pytest.mark.parametrize(("slug", "text"), QUIET.items(), ids=QUIET)
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


@pytest.mark.parametrize("sample", TEMPLATES, ids=lambda sample: sample.file)
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


@pytest.mark.parametrize(
    "text",
    ["title: x\n", "description: x\nmodels: [CORE]\n", "title: x\ntags: [a]\n", "- prompt: x\n  should:\n    - \n"],
)
def test_a_draft_is_silent(text: str) -> None:
    assert [one for one in check(parse(text)) if one.severity is not Severity.HINT] == []
    assert "not-written-yet" not in {one.slug for one in check(parse(text))}


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
