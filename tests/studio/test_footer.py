"""The footer: the keys of the focused pane that have something to act on, what fits of them, and clicks."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.evaluation.sources import Candidate, ControlKind, ControlSource
from engine.text.record import replace
from studio.session.run_configuration import labels_of
from studio.session.views.outline_view import FooterView
from studio.session.views.overview_view import FileResult
from studio.session.views.result_view import CandidateScore, ResultView, blank_view
from studio.tui.action import Place
from studio.tui.actions import at
from studio.tui.footer import FooterEntry, entries_at
from studio.tui.panes.criteria import Criteria
from studio.tui.panes.status import fitting
from tests.studio.driving import QUOTED, opened
from tests.studio.results import judged, said, verdict
from tests.studio.test_overview import OVERVIEW

FOUR = tuple(Candidate(ControlSource(kind)) for kind in ControlKind)
JUDGED = {0: (said("one", verdict(1.0)),), 1: (said("one", verdict(0.5)),), 2: (said("one", verdict(0.0)),)}
IN_FOOTER = {action.id for action in at(Place.RESULT) if action.footer}


def acting(shown: ResultView | FileResult, key: str) -> set[str]:
    """The footer's actions of the criteria while the row `key` of `shown` is selected."""
    pane = Criteria()
    pane.show_view(shown)
    assert pane.select(key)
    return IN_FOOTER - pane.idle_actions


# --- What has something to act on


def test_on_a_criterion_that_no_judge_has_judged_it_can_be_graded_or_judged() -> None:
    assert acting(replace(judged({}), judge_price=""), "point:0") == {
        "choose",
        "grade",
        "judge",
        "choose_judges",
        "sort",
        "target",
        "what_if",
    }


def test_on_a_judged_criterion_the_exact_request_is_offered_and_judging_is_not() -> None:
    assert acting(judged(JUDGED), "point:0") == {
        "choose",
        "grade",
        "word_for_word",
        "choose_judges",
        "sort",
        "target",
        "what_if",
    }


def test_the_key_that_judges_says_its_price() -> None:
    pane = Criteria()
    pane.show_view(replace(judged({}), judge_price="6 requests, about $0.004"))
    assert pane.footer_labels == {"judge": "judge (about $0.004)"}


def test_on_the_score_nothing_is_graded() -> None:
    assert "grade" not in acting(judged(JUDGED), "head")


def test_with_several_answers_the_next_one_is_offered() -> None:
    beside = tuple(CandidateScore(key, key, None, "not run", shown=key == "a") for key in "ab")
    assert "next_variant" in acting(replace(judged(JUDGED), beside=beside), "point:0")


def test_without_a_result_the_choice_of_judges_is_left() -> None:
    assert acting(blank_view(judged({}).prompt), "point:0") == {"choose", "choose_judges", "sort"}


def test_in_the_header_no_action_on_a_prompt_is_offered() -> None:
    assert acting(FileResult(OVERVIEW), "head") == {"choose", "choose_judges", "grid"}


@pytest.mark.parametrize(
    ("point", "offered"),
    [
        ("[\"$icontains: 'a'\"]", {"go_to_problem", "fix_problem", "explain"}),
        ("[$nosuch: a]", {"go_to_problem", "explain"}),
        ("[Says a]", set[str]()),
    ],
)
async def test_of_a_problem_only_what_can_be_done_is_offered(tmp_path: Path, point: str, offered: set[str]) -> None:
    async with opened(tmp_path, f"- {{id: a, prompt: Which?, should: {point}}}\n", keys=("f3",)) as page:
        listed = page.screen.problems
        assert {action.id for action in at(Place.PROBLEMS) if action.footer} - listed.idle_actions == offered


# --- What fits


def fitted(idle: set[str], width: int) -> str:
    """The footer in the result, as printed at this width."""
    shown = entries_at(Place.RESULT, Place.BLUEPRINT, FooterView(), narrow=width < 100, idle=idle)
    return "  ".join(f"{entry.keys} {entry.label}" for entry in fitting(shown, width - 1))


@pytest.mark.parametrize(
    ("row", "width", "line"),
    [
        (
            {"choose", "grade", "judge", "choose_judges"},
            80,
            "Enter go there  1…5 grade  J judge  F5 run the ideal  F1 help  Ctrl+P all",
        ),
        (
            {"choose", "grade", "word_for_word", "choose_judges"},
            80,
            "Enter go there  1…5 grade  x request  F5 run the ideal  F1 help  Ctrl+P all",
        ),
        (
            {"choose", "grade", "word_for_word", "next_variant", "choose_judges"},
            120,
            "Enter go there  1…5 grade  x request  v next variant  w judges: you alone  F5 run the ideal"
            "  F1 help  Ctrl+P actions",
        ),
    ],
)
def test_the_result_names_its_keys_and_what_runs_at_both_widths(row: set[str], width: int, line: str) -> None:
    assert fitted(IN_FOOTER - row, width) == line
    assert len(line) < width


def test_a_narrow_footer_names_the_key_that_saves_as_long_as_it_has_something_to_save() -> None:
    named = [
        "save" in [entry.label for entry in fitting(entries_at(pane, Place.BLUEPRINT, view, narrow=True), 79)]
        for view in (FooterView(unsaved=True), FooterView())
        for pane in (Place.EDITOR, Place.RESULT, Place.PROBLEMS)
    ]
    assert named == [True, True, True, False, False, False]


@pytest.mark.parametrize("unsaved", [False, True])
def test_the_key_that_saves_stays_while_changes_are_unsaved(unsaved: bool) -> None:
    view = FooterView(unsaved=unsaved)
    idle = IN_FOOTER - {"choose", "grade", "word_for_word", "next_variant", "choose_judges"}
    shown = fitting(entries_at(Place.RESULT, Place.BLUEPRINT, view, narrow=False, idle=idle), 119)
    assert ("save" in [entry.label for entry in shown]) is unsaved
    assert {"run the ideal", "help", "actions"} <= {entry.label for entry in shown}


def test_where_nothing_else_fits_help_and_all_actions_stay() -> None:
    shown = entries_at(Place.EDITOR, Place.BLUEPRINT, FooterView(("a model with a long name",)), narrow=True)
    assert [entry.label for entry in fitting(shown, 24)] == ["help", "all"]


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (
            120,
            "F5 run test answer: empty +3  F6 run all  F9 answers…  F7/F8 problems  F4 fix  Ctrl+S save  F1 help"
            "  Ctrl+P actions",
        ),
        (80, "F5 run test answer +3  F6 run all  F2 outline  F3 problems  F1 help  Ctrl+P all"),
    ],
)
def test_a_long_name_of_what_runs_is_shortened_rather_than_another_entry_left_out(width: int, line: str) -> None:
    view = FooterView(labels_of(FOUR))
    shown = entries_at(Place.EDITOR, Place.BLUEPRINT, view, narrow=width < 100)
    assert "  ".join(f"{entry.keys} {entry.label}" for entry in fitting(shown, width - 1)) == line


def test_a_name_of_what_runs_that_has_no_shorter_form_is_cut() -> None:
    shown = entries_at(Place.EDITOR, Place.BLUEPRINT, FooterView(("a model with a very long name",)), narrow=True)
    assert fitting(shown, 79)[0].label == "run a model with a very long n…"


def test_a_long_name_of_what_runs_is_whole_where_there_is_room() -> None:
    shown = entries_at(Place.EDITOR, Place.BLUEPRINT, FooterView(("test answer: empty and 3 more",)), narrow=False)
    assert "run test answer: empty and 3 more" in [entry.label for entry in fitting(shown, 200)]


def test_everything_is_shown_where_there_is_room() -> None:
    shown = [FooterEntry("f", "fix", "fix"), FooterEntry("F1", "help", "app.help"), FooterEntry("F2", "all", "app.x")]
    assert fitting(shown, 22) == shown


# --- Clicks


async def test_a_click_does_an_action_of_the_focused_pane_opens_help_and_grades_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f3", "home")) as page:
        await page.click_footer("fix")
        await page.until(lambda: "- $icontains: '30 days'" in page.text)
        await page.at("And who")
        await page.press("f5")
        await page.show("Criteria")
        await page.until(lambda: "1…5 grade" in page.footer())
        await page.click_footer("grade")
        await page.settle()
        assert page.extents[0] is None
        await page.press("end")
        await page.until(lambda: "1…5 grade" not in page.footer())  # it follows the selected row
        await page.click_footer("help")
        await page.asked()


@pytest.mark.parametrize("pane", [Place.CRITERION, Place.ANSWER])
def test_while_names_and_verdicts_are_hidden_h_reveals_them_in_both_panes(pane: Place) -> None:
    shown = entries_at(pane, Place.BLUEPRINT, FooterView(is_blind=True), narrow=False)
    assert {entry.keys: entry.label for entry in shown}["h"] == "reveal"
