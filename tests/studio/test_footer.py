"""The footer: the keys that have something to act on, and clicks; and the line of what would help most now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from ruamel.yaml import YAML

from engine.evaluation.sources import Candidate, ControlKind, ControlSource
from engine.text.record import replace
from studio.session.run_configuration import labels_of
from studio.session.state import Where
from studio.session.views.next_view import SITUATIONS, Asks, Facts, NextView, WordingFacts, next_view, situation
from studio.session.views.outline_view import FooterView
from studio.session.views.overview_view import FileResult
from studio.session.views.result_view import CandidateScore, ResultView, blank_view
from studio.tui.action import PANES, Place
from studio.tui.actions import ACTIONS, at
from studio.tui.footer import FooterEntry, entries_at, keys_at
from studio.tui.panes.criteria import Criteria
from studio.tui.panes.status import CursorLine, NextLine, fitting
from tests.studio.driving import LARGE, NARROW, QUOTED, WIDE, Page, opened
from tests.studio.driving.alone import Alone
from tests.studio.pictures import differences, keep, kept, picture
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


# --- What would help most now: each situation with its sentence, and no key but those that work where it is told


def place_of(action: str) -> Place:
    """The place of an action."""
    return next(each.place for each in ACTIONS if each.id == action)


SIZES = (LARGE, WIDE, NARROW)
TEXT = Place.EDITOR


def where(place: Place, *, sees_answer: bool = False, sees_answers: bool = False, idle: Sequence[str] = ()) -> Where:
    """The keys in a place; what `idle` names has nothing to act on there."""
    keys = keys_at(place, Place.BLUEPRINT, idle=frozenset(idle), is_typed=place is TEXT)
    return Where(keys, place is place_of("grade"), sees_answer, sees_answers)


ALL_WELL = Facts()


class Told(NamedTuple):
    """Where and of what the sentence is said. `{judge}` is the key of an action whose letter may be another some day.

    `idle` actions have nothing to act on there.
    """

    place: Place
    sentence: str
    facts: Facts = ALL_WELL
    idle: Sequence[str] = ()
    sees_answer: bool = False
    sees_answers: bool = False

    @property
    def now(self) -> Facts:
        here = where(self.place, sees_answer=self.sees_answer, sees_answers=self.sees_answers, idle=self.idle)
        return replace(self.facts, where=here)


def told(where: str, says: str, facts: dict[str, Any], wording: dict[str, Any] | None, **of: Any) -> Told:
    """A row of `next_steps.yml`."""
    about = None if wording is None else replace(WordingFacts(answers=3, judged=3), **wording)
    sees_answers = about is not None
    return Told(PLACES[where], says, replace(ALL_WELL, wording=about, **facts), sees_answers=sees_answers, **of)


SIX = "6 requests, about $0.004"
PLACES = {
    "text": TEXT,
    "outline": Place.OUTLINE,
    "problems": Place.PROBLEMS,
    "criteria": place_of("grade"),
    "all answers": place_of("mark_answer"),
    "answer": place_of("edit_response"),
    "what if": place_of("apply_what_if"),
}
ROWS: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("next_steps.yml").read_text("utf-8"))
TOLD = {row.pop("name"): told(**{"facts": {}, "wording": None, **row}) for row in ROWS}
"""The sentence of each situation, where it is said."""


def test_every_situation_has_its_case_and_is_told_in_the_order_of_the_table() -> None:
    assert list(TOLD) == [row.name for row in SITUATIONS]


@pytest.mark.parametrize(("name", "told"), TOLD.items(), ids=list(TOLD))
def test_a_situation_is_told_in_a_sentence_with_its_key_and_its_price(name: str, told: Told) -> None:
    sentence = told.sentence.format_map(told.now.where.keys)
    assert (situation(told.now).name, next_view(told.now).forms[0]) == (name, sentence)


WORDS = st.sampled_from(["", "12.5"])
SOME = st.integers(0, 2)
FACTS = st.builds(
    Facts,
    going=WORDS,
    unread=SOME,
    problems=SOME,
    prompts=SOME,
    is_new=st.booleans(),
    unsaved=st.booleans(),
    number=st.none() | st.just(1),
    errors=SOME,
    asks_nothing=st.booleans(),
    criteria=SOME,
    fixes=SOME,
    has_fix_here=st.booleans(),
    lacks=WORDS,
    is_run=st.booleans(),
    failed=WORDS,
    is_stopped=st.booleans(),
    open=SOME,
    has_judges=st.booleans(),
    ideal_is_open=st.booleans(),
    dearest=WORDS,
    dearest_of_all=WORDS,
    differ=WORDS,
    differ_at=st.none() | SOME,
    selected=st.none() | SOME,
    gain=WORDS,
    impostor=WORDS,
    labelled=SOME,
    left=SOME,
    is_trying=st.booleans(),
    wording=st.builds(WordingFacts, WORDS, SOME, SOME, st.booleans(), st.booleans(), SOME, st.none() | SOME),
    prices=st.dictionaries(st.sampled_from(Asks), st.just(SIX)),
)


@given(st.sampled_from(PANES[Place.BLUEPRINT]), st.booleans(), st.booleans(), st.booleans(), FACTS)
def test_every_key_that_is_named_is_bound_where_it_is_named(
    place: Place, sees_answer: bool, sees_answers: bool, is_idle: bool, facts: Facts
) -> None:
    idle = tuple(action.id for action in at(place)) if is_idle else ()
    now = replace(facts, where=where(place, sees_answer=sees_answer, sees_answers=sees_answers, idle=idle))
    row, view = situation(now), next_view(now)
    bound = {
        action.keys for each in (place, Place.BLUEPRINT, Place.APP) for action in at(each) if action.id in row.actions
    }
    assert set(view.keys) <= bound
    assert row.asks is None or (SIX in view.forms[0]) is (row.asks in now.prices)
    for form in view.forms:
        assert form
        assert not {"{", "}"} & set(form)
    assert all(key in view.forms[0] for key in view.keys)


@pytest.mark.parametrize("row", SITUATIONS, ids=[row.name for row in SITUATIONS])
def test_what_runs_the_prompt_is_not_named_where_it_runs_a_criterion(row: object) -> None:
    """`F5` does what is shown."""
    (told,) = (told for name, told in TOLD.items() if row is next(each for each in SITUATIONS if each.name == name))
    runs = "run" in situation(told.now).actions
    assert not runs or situation(told.now).of_wording is told.sees_answers


def test_what_costs_money_names_its_price() -> None:
    """Its sentence stands without one while that is not known."""
    for name, told in TOLD.items():
        row = situation(told.now)
        assert (row.asks is not None) is ("{price}" in row.text), name
        assert next_view(replace(told.now, prices={})).forms[0].count("(") == 0, name


# --- The line


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (120, " Next F3 lists 2 errors of prompt 1: what is written there does not work"),
        (60, " Next F3 lists 2 errors of prompt 1"),
        (30, " Next F3 lists 2 errors of p…"),
    ],
)
async def test_a_line_that_is_too_long_has_its_shorter_form_and_then_its_beginning(width: int, line: str) -> None:
    shown = NextLine()
    async with Alone(shown).run_test(size=(width, 1)) as pilot:
        shown.view = next_view(Told(TEXT, "", Facts(errors=2, is_run=False)).now)
        await pilot.pause()
        assert shown.render().plain == line


async def test_the_keys_of_the_line_are_bright() -> None:
    shown = NextLine()
    async with Alone(shown).run_test(size=(100, 1)) as pilot:
        shown.view = NextView(("Ctrl+R shows it, F5 runs it",), ("Ctrl+R", "F5"))
        await pilot.pause()
        line = shown.render()
        bold = [line.plain[span.start : span.end] for span in line.spans if str(span.style) == "bold"]
        assert bold == ["Ctrl+R", "F5"]


async def test_every_situation_looks_as_in_its_picture(request: pytest.FixtureRequest) -> None:
    """All on one screen, in the order of the table, at the widths of the other pictures."""
    found: dict[str, list[str]] = {}
    for width, _ in SIZES:
        lines = [NextLine() for _ in TOLD]
        app: Any = Alone(*lines)
        async with app.run_test(size=(width, len(lines))) as pilot:
            for line, told in zip(lines, TOLD.values(), strict=True):
                line.view = next_view(told.now)
            await pilot.pause()
            found[f"{width} columns"] = picture(app)
    if request.config.getoption("--snapshot-update"):
        keep("next_step", found)
    assert differences(kept("next_step"), found) == []


@pytest.mark.parametrize("name", TOLD)
def test_at_80_columns_a_sentence_fits_but_for_words_of_others(name: str) -> None:
    """Beside a price there is room for it; why a run failed is said by a model or a server."""
    forms = next_view(TOLD[name].now).forms
    assert min(map(cell_len, forms)) <= NARROW[0] - len(" Next ") - 1


# --- On the screen


def bottom(page: Page) -> tuple[str, str]:
    """The line of the problem at the cursor, and the line of the next step; "" for one that is not there."""
    lines = (page.screen.query_one(each) for each in (CursorLine, NextLine))
    problem, step = (str(line.render()).strip() if line.display else "" for line in lines)
    return problem, step.removeprefix("Next ")


async def test_it_follows_the_keys_from_pane_to_pane(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, at="- id: second", keys=("f5",)) as page:
        for key, sentence in (
            ("escape", "Ctrl+R goes to 1 open criterion: choose who judges, or grade by hand"),
            ("ctrl+r", "1 open criterion: w chooses who judges, or grade by hand"),
            ("f3", "f fixes the selected problem"),
            ("escape", "1 open criterion: w chooses who judges, or grade by hand"),
            ("f2", "Ctrl+R goes to 1 open criterion: choose who judges, or grade by hand"),
        ):
            await page.press(key)
            assert (key, bottom(page)[1]) == (key, sentence)


async def test_on_a_low_screen_it_shares_its_line_with_the_problem_at_the_cursor(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, at="prompt: What") as page:
        assert [bool(line) for line in bottom(page)] == [True, True]
        await page.resize(*NARROW)
        assert bottom(page) == ("", "F3 lists 1 error of prompt 1: what is written there does not work")
        await page.at('"$icontains')
        problem, step = bottom(page)
        assert problem.startswith("● ")
        assert step == ""
        await page.press("f2")
        assert [bool(line) for line in bottom(page)] == [False, True]
