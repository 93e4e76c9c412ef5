"""A fix cures: its problem is gone, and nothing of its level or above is new. What cures is applied, and taken back."""

from __future__ import annotations

from engine.functions.v8 import JavaScript
from engine.rules.fixes import (
    FixedProblem,
    FixTrial,
    apply_fixes,
    fix_text,
    same_choice,
)
from engine.rules.selection import EVERYTHING, Level, RuleSelection
from engine.rules.suppression import as_intended
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.spans import Span, TextEdit, apply_edits
from tests.engine.fix_trials import (
    EVERY,
    fixes_in,
    undone,
)

HEAD = "- id: p\n  prompt: Where is it due?\n"
QUOTED = f"{HEAD}  should:\n    - \"$icontains: 'Article 19'\" # why\n    - Names the court\n"


def tried(
    text: str, slug: str, title: str = "", *, selection: RuleSelection = EVERYTHING
) -> tuple[FixTrial, Diagnostic, Fix]:
    """The first fix (of this title) of the first problem of this rule."""
    trial = FixTrial(text, selection=selection)
    return next(
        (trial, one, fix)
        for one, fix in fixes_in(trial)
        if one.slug == slug and fix.title.startswith(title)
    )  # fmt: skip


def made(before: str, after: str, slug: str, text: str) -> tuple[FixTrial, Diagnostic, Fix]:
    """The problem of this rule in `text`, and a fix that writes `after` for `before`."""
    trial = FixTrial(text)
    at = text.index(before)
    fix = Fix("made up", False, (TextEdit(Span(at, at + len(before)), after),))
    return trial, next(one for one in trial.diagnostics if one.slug == slug), fix


def test_a_fix_that_ends_its_problem_and_brings_no_other_cures() -> None:
    trial, problem, fix = tried(QUOTED, "quoted-function")
    outcome = trial.outcome(problem, fix)
    assert (outcome.cures, outcome.objection) == (True, "")
    assert outcome.text == QUOTED.replace('"', "")


def test_a_fix_after_which_the_problem_is_reported_again_does_not_cure() -> None:
    trial, problem, fix = made("$icontains:", "$contains:", "quoted-function", QUOTED)
    outcome = trial.outcome(problem, fix)
    assert [one.slug for one in outcome.remaining] == ["quoted-function"]
    assert outcome.objection.startswith("the problem stays: line 4: ")


def test_a_fix_that_brings_another_error_does_not_cure() -> None:
    trial, problem, fix = made("\"$icontains: 'Article 19'\"", "$matches: '('", "quoted-function", QUOTED)
    outcome = FixTrial(trial.text).outcome(problem, fix)
    assert [one.slug for one in outcome.new] == []  # what is no pattern is found by V8 alone
    with JavaScript() as javascript:
        outcome = FixTrial(trial.text, javascript=javascript).outcome(problem, fix)
    assert [one.slug for one in outcome.new] == ["bad-regex"]
    assert outcome.objection.startswith("brings a new error: line 4: bad-regex: ")


def test_what_matters_less_than_the_problem_may_come_to_light() -> None:
    trial, problem, fix = made("\"$icontains: 'Article 19'\"", "$icontains: no", "quoted-function", QUOTED)
    outcome = trial.outcome(problem, fix)
    assert [one.severity for one in outcome.diagnostics] == [Severity.WARNING]
    assert outcome.cures


def test_a_text_that_cannot_be_read_afterwards_is_no_cure() -> None:
    trial, problem, fix = made("prompt: Where", "prompt: @Where", "quoted-function", QUOTED)
    assert not trial.outcome(problem, fix).cures


def test_a_file_that_weval_refuses_afterwards_is_no_cure_whatever_rules_are_asked_for() -> None:
    trial = FixTrial(QUOTED, selection=RuleSelection(select=frozenset({"Y003"})))
    [problem] = trial.diagnostics
    heavy = Fix("made up", True, (TextEdit(problem.span, "{point: x, weight: 20}"),))
    assert trial.outcome(problem, heavy).objection == "Weval refuses the file afterwards"


def test_the_next_of_several_refusals_is_no_new_problem() -> None:
    text = f"{HEAD}  should:\n    - {{point: x, weight: '20x'}}\n    - 42\n"
    trial = FixTrial(text, selection=EVERY)
    [number] = [one for one in trial.diagnostics if one.slug == "non-string-scalar"]
    assert trial.outcome(number, number.fixes[0]).cures


def test_the_same_problem_elsewhere_stays_and_is_not_new() -> None:
    text = f"{HEAD}  should:\n    - \"$icontains: 'one'\"\n    - \"$icontains: 'one'\"\n"
    trial = FixTrial(text, selection=RuleSelection(select=EVERY.select, ignore=frozenset({"R016"})))
    quoted = [one for one in trial.diagnostics if one.slug == "quoted-function"]
    assert [trial.outcome(one, one.fixes[0]).cures for one in quoted] == [True, True]


def test_a_report_on_the_whole_file_is_cured_a_bit_where_its_count_falls() -> None:
    text = "".join(f"- id: p{number}\n  prompt: x\n  should: [a]\n  promt: y\n" for number in range(3))
    trial, problem, fix = made("promt", "description", "unknown-key", text)
    outcome = trial.outcome(problem, fix)
    assert "unknown-key" in {one.slug for one in outcome.diagnostics}
    assert outcome.cures


def test_what_stood_behind_broken_yaml_is_not_new_once_it_is_read() -> None:
    text = f'{HEAD}  should:\n    - $matches: "\\d"\n    - \'$icontains: "b"\'\n'
    trial, problem, fix = tried(text, "backslash-in-double-quotes")
    outcome = trial.outcome(problem, fix)
    assert [one.slug for one in outcome.diagnostics if one.severity is Severity.ERROR] == ["quoted-function"]
    assert outcome.cures


def test_an_error_that_a_fix_moves_on_is_new() -> None:
    text = f"{HEAD}  should:\n    - Says 'x\n    - @a\n    - b\n"
    trial = FixTrial(text)
    [problem] = [one for one in trial.diagnostics if one.severity is Severity.ERROR]
    opened = Fix("made up", True, (TextEdit(Span(text.index("@a"), text.index("@a") + 2), '"a'),))
    assert not trial.outcome(problem, opened).cures


# --- Applying


def test_what_follows_a_fix_may_bring_nothing_of_its_level_either() -> None:
    trial = FixTrial(QUOTED)
    [problem] = [one for one in trial.diagnostics if one.slug == "quoted-function"]
    short = Fix("made up", False, (TextEdit(problem.span, "$icontains: no"),))
    assert trial.outcome_of([FixedProblem(problem, short)]).cures
    assert not trial.outcome_of([FixedProblem(problem, short)], Severity.WARNING).cures


def test_of_a_hint_no_fix_is_applied_unasked() -> None:
    text = f"{HEAD}  should:\n    - Names the court # studio: ignore[stale-fact]\n"
    assert [(one.severity, one.fixes[0].safe) for one in FixTrial(text).diagnostics] == [(Severity.HINT, True)]
    assert fix_text(text, None).text == text


def test_a_hint_that_a_project_raises_is_fixed() -> None:
    text = f"{HEAD}  should:\n    - Names the rent # studio: ignore[bad-weight] was twenty\n"
    selection = RuleSelection(levels=(("S091", Level.WARNING),))
    assert fix_text(text, None, selection=selection).applied == 1


def test_what_does_not_cure_is_left_with_the_reason(javascript: JavaScript) -> None:
    text = f'{HEAD}  should:\n    - fn: contains\n      fnArgs: ""\n'
    mended = fix_text(text, None, javascript)
    assert mended.text == text
    assert [(one.diagnostic.slug, one.objection[:38]) for one in mended.left] == [
        ("falsy-argument-lost", "brings a new warning: line 5: always-m"),
    ]


def test_what_changed_is_listed_by_place_in_the_text_as_it_is_then() -> None:
    text = f"{QUOTED}- id: q\n  prompt: x\n  should: Says so\n- id: r\n  prompt: y\n  shoud: [a]\n"
    mended = fix_text(text, None)
    rows = [(one.diagnostic.slug, each) for one in mended.changes for each in one.lines]
    assert [(slug, mended.text[: each.offset].count("\n") + 1, each.before, each.after) for slug, each in rows] == [
        (
            "quoted-function",
            4,
            ("    - \"$icontains: 'Article 19'\" # why",),
            ("    - $icontains: 'Article 19' # why",),
        ),
        ("rubric-not-a-list", 8, ("  should: Says so",), ("  should:", "    - Says so")),
        ("unknown-key", 12, ("  shoud: [a]",), ("  should: [a]",)),
    ]


def test_one_fix_can_be_taken_back_alone() -> None:
    text = f"{QUOTED}- id: q\n  prompt: x\n  should: Says so\n"
    mended = fix_text(text, None)
    quoted = next(one for one in mended.changes if one.diagnostic.slug == "quoted-function")
    undoing = undone(quoted, mended.text)
    assert undoing is not None
    assert apply_edits(mended.text, undoing) == text.replace("should: Says so", "should:\n    - Says so")


def test_a_fix_that_a_later_one_wrote_over_is_not_taken_back_alone() -> None:
    mended = fix_text(QUOTED, None)
    assert undone(mended.changes[0], mended.text.replace("$icontains: 'Article", "$contains: 'Article")) is None


def test_one_choice_is_applied_to_all_reports_of_its_rule() -> None:
    text = "".join(f"- id: p\n  prompt: x{number}\n  should: [a]\n" for number in range(4))
    trial, problem, fix = tried(text, "duplicate-prompt-id")
    mended = apply_fixes(trial, same_choice(fix, problem, trial))
    assert [prompt.id for prompt in mended.parsed.blueprint.prompts] == ["p", "p-2", "p-3", "p-4"]


def test_one_choice_leaves_other_choices_of_its_rule_alone() -> None:
    block = "- id: p{0}\n  prompt: x{0}\n  should:\n    - - $contains: one\n    - - $contains: two\n"
    text = block.format(1) + block.format(2)
    trial, problem, fix = tried(text, "single-element-path", "all are needed")
    mended = apply_fixes(trial, same_choice(fix, problem, trial))
    assert mended.text == text.replace("- - ", "- ")


def test_as_intended_can_be_said_of_all_reports_of_a_rule() -> None:
    text = "".join(f"- id: p{number}\n  prompt: x\n  should:\n    - May mention {number}\n" for number in range(3))
    trial = FixTrial(text)
    problem = next(one for one in trial.diagnostics if one.slug == "optional-point")
    [intended] = as_intended(trial.parsed.tree, problem.span, problem.slug)
    mended = apply_fixes(trial, same_choice(intended, problem, trial))
    assert mended.text.count("# studio: ignore[optional-point] as intended\n") == 3
    assert "optional-point" not in {one.slug for one in mended.remaining}
