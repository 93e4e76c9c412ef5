"""What the criteria say: held against blueprints that are parsed, judged and scored for real."""

from __future__ import annotations

import pytest

from engine.blueprint import Block
from engine.judging.judgement import Agreement, Attempt, Interpretation, Judgement
from engine.judging.panel import FIVE_STEPS, Approach, PanelJudge
from engine.judging.verdict import NOT_ASKED, NoVerdict, Reason, read_verdict
from engine.scoring.assessment import AssessedBy, ChangedPart
from engine.scoring.explanation import WevalScore
from engine.scoring.explanation_builder import explain
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.views.result_view import ResultView
from studio.tui.panes.criteria_rows import Order, carried, facets_of
from studio.tui.panes.score import head_said
from studio.tui.tall_list import DIM
from tests.studio.results import (
    DECLINED,
    MARCH,
    REQUEST,
    drawn,
    foot,
    head,
    judged,
    row_of,
    rows,
    said,
    verdict,
    view,
)

OFF_FORM = NoVerdict(Reason.OFF_FORM, "named no class of the scale", "Judge again.")
UNDECIDED = (
    "<reflection>Nothing.</reflection><classification>CLASS_ABSENT</classification> "
    "With the name <classification>CLASS_FULLY_PRESENT</classification>."
)


@pytest.fixture
def march() -> ResultView:
    return view(MARCH, {0: 1.0, 1: 0.75, 2: 0.5, 3: 0.0, 4: 0.0})


# --- The rows


def test_the_dearest_criterion_stands_first_and_groups_by_what_they_cost(march: ResultView) -> None:
    assert rows(march)[:10] == [
        "── any one of these earns half of the score",
        "▸ way 1 counts · 0",
        "○ 0 $icontains: covenant −50.0",
        "way 2 · 0, as much",
        "○ 0 $icontains: proportionate",
        "── required, half of the score",
        "◐ 50 Gives an example from case law −8.3",
        "◕ 75 Says that offence alone is no ground −4.2",
        "● 100 Names the three-part test",
        "── the rubric or the answer?",
    ]


@pytest.mark.parametrize(
    ("order", "first"),
    [(Order.FILE, "● 100 Names the three-part test"), (Order.SCORE, "○ 0 $icontains: covenant −50.0")],
)
def test_other_orders_keep_blocks_and_ways_together(march: ResultView, order: Order, first: str) -> None:
    found = rows(march, order)
    assert next(row for row in found if row[0] in "○◔◐◕●") == first
    assert sum(row.startswith("── required") for row in found) == 1


def test_without_ways_there_are_no_headings() -> None:
    assert rows(view("- prompt: x\n  should: [a, b]\n", {0: 1.0, 1: 0.5})) == ["◐ 50 b −25.0", "● 100 a"]


def test_one_way_alone_has_no_line() -> None:
    found = rows(view("- prompt: x\n  should: [a, [b, c]]\n", {0: 1.0, 1: 1.0, 2: 1.0}))
    assert found == [
        "── required, half of the score",
        "● 100 a",
        "── these together, half of the score",
        "● 100 b",
        "● 100 c",
    ]


def test_a_criterion_is_whole_and_its_cost_stands_on_its_first_line() -> None:
    long = "Any person making a request to a public authority has a general right of access to information."
    shown = view(f"- prompt: x\n  should:\n    - {long}\n    - b\n", {0: 0.0, 1: 1.0})
    assert drawn(row_of(shown, "point:0"), 44) == [
        "○   0  Any person making a request to  −50.0",
        "       a public authority has a general",
        "       right of access to information.",
    ]


def test_a_criterion_of_should_not_says_so() -> None:
    assert "should not: Tells a joke" in drawn(row_of(judged({2: (said("a", verdict(1.0)),)}), "point:2"))[0]


def test_a_criterion_that_nobody_judged_has_a_dash_and_no_cost() -> None:
    assert drawn(row_of(view(MARCH, {0: 1.0}), "point:1")) == ["    –  Says that offence alone is no ground"]


def test_an_error_is_shown_as_an_error() -> None:
    shown = view(MARCH, {0: 1.0, 3: 0.0}, {3: "the pattern is broken"})
    assert drawn(row_of(shown, "point:3"))[0].startswith("  !   0  $icontains")
    assert any("the pattern is broken" in line for line in foot(shown, 3))


def test_a_problem_that_has_a_fix_can_be_fixed_from_its_criterion(march: ResultView) -> None:
    start = MARCH.index("$icontains: covenant")
    fixable = replace(march, fixable=(Span(start, start + 9),))
    assert [key for key in ("point:2", "point:3") if row_of(fixable, key).can_fix] == ["point:3"]


def test_what_the_score_would_be_without_ways_is_said_once(march: ResultView) -> None:
    assert "45.0 with every way required +7.5" in rows(march)


@pytest.mark.parametrize(
    ("words", "found"), [("open", {1, 2}), ("failing", set[int]()), ("judges differ", {0}), ("should_not", {2})]
)
def test_the_filter_finds_criteria_by_what_is_true_of_them(words: str, found: set[int]) -> None:
    shown = judged({0: (said("a", verdict(1.0)), said("b", verdict(0.0)))})
    assert {n for n in range(3) if all(word in facets_of(shown, n) for word in words.split())} == found


# --- Ways


def test_a_way_says_what_it_would_take_to_count(march: ResultView) -> None:
    texts = [text for text, _ in row_of(march, "way:path_4").said]
    assert texts == ["To count instead, an answer has to meet $icontains: proportionate.", "Met in full, it adds 50.0."]


def test_a_way_that_another_can_still_pass_counts_so_far() -> None:
    shown = view("- prompt: x\n  should:\n    - [a, b]\n    - [c, d]\n", {0: 1.0, 2: 0.5})
    assert [row for row in rows(shown) if "way" in row] == [
        "▸ way 1 counts so far · 50–100",
        "way 2 · 25–75, may still count",
    ]


def test_before_a_run_no_way_counts() -> None:
    shown = view("- prompt: x\n  should:\n    - [a, b]\n    - [c, d]\n", {})
    assert [row for row in rows(shown) if "way" in row] == ["way 1", "way 2"]


# --- A new criterion


def test_a_criterion_that_is_new_follows_the_one_before_it_in_the_file() -> None:
    before = view("- prompt: x\n  should: [a, b, c]\n", {0: 1.0, 1: 0.0, 2: 0.5})
    now = view("- prompt: x\n  should: [a, new, b, c]\n", {0: 1.0, 2: 0.0, 3: 0.5})
    assert carried((1, 2, 0), before, now) == (2, 3, 0, 1)


def test_a_criterion_that_is_reworded_keeps_its_place() -> None:
    before = view("- prompt: x\n  should: [a, b]\n", {0: 1.0, 1: 0.0})
    assert carried((1, 0), before, view("- prompt: x\n  should: [a, other]\n", {0: 1.0})) == (1, 0)


# --- The head


def test_the_head_has_the_bounds_first_and_how_much_is_judged() -> None:
    lines = head(view("- id: p\n  prompt: x\n  should: [a, b, c, d, e]\n", {0: 1.0}))
    assert lines[0].startswith("20–100  the ideal  ━")
    assert lines[1:] == ["1 of 5 criteria judged"]


def test_opened_the_head_has_the_arithmetic_whole(march: ResultView) -> None:
    assert head(march, 40, is_open=True)[1:] == [
        "required  75.0 ─┐",
        "best way   0.0 ─┴ their mean: 37.5",
        "required: (1.00 + 0.75 + 0.50) ÷ 3 =",
        "75.0",
        "way 1: 0.00 = 0.0",
        "way 2: 0.00 = 0.0",
        "best way: max(0.00, 0.00) = 0.0",
        "their mean: (0.75 + 0.00) ÷ 2 = 37.5",
    ]


def test_the_arithmetic_adds_up_within_the_bounds() -> None:
    lines = head(view(MARCH, {0: 1.0, 1: 1.0, 3: 0.0}), 60, is_open=True)
    assert lines[2:5] == ["required  66.7–100 ─┐", "best way     0–100 ─┴ their mean: 33.3–100", "over what is judged:"]


def test_what_weval_stores_is_told_where_it_is_another_number(march: ResultView) -> None:
    assert not [line for line in head(march) if "Weval" in line]
    explanation = replace(march.explanation, weval=WevalScore(0.5, 0.5, ("It merges paths.",)))
    assert "Weval stores 0.50. It merges paths." in head(replace(march, explanation=explanation))


def test_nothing_judged_has_no_figure() -> None:
    assert head(view("- id: p\n  prompt: x\n  should: [a, b]\n", {}))[0].startswith("not judged yet  ")


def test_a_prompt_without_criteria_says_that_nothing_is_scored() -> None:
    assert head(view("- id: p\n  prompt: x\n", {}))[0].startswith("no criteria: nothing is scored")


def test_a_figure_is_never_cut() -> None:
    shown = judged({0: (said("a", verdict(1.0)), said("b", DECLINED)), 1: (said("a", verdict(1.0)),)})
    assert head(replace(shown, answers="a model with a very long name"), 44)[0].startswith("50–100  a model")


# --- What belongs to a criterion


def test_each_judge_stands_by_its_name_with_verdict_and_reason() -> None:
    shown = judged({0: (said("strict", verdict(0.25, "In passing.")), said("kind", verdict(0.5, "Half.")))})
    assert foot(shown, 0)[:3] == ["judges differ", "strict-1  25  In passing.", "kind-1  50  Half."]


def test_judges_that_agree_have_a_quiet_heading_beside_weight_and_source() -> None:
    text = "- prompt: x\n  should:\n    - text: a\n      weight: 0.3\n      citation: s.1(1)\n"
    shown = judged({0: (said("strict", verdict(1.0)), said("kind", verdict(0.75)))}, text=text)
    assert foot(shown, 0, 40)[0] == "weight 0.3 · s.1(1)        judges"


def test_two_classes_of_one_judge_open_the_criterion_and_stand_beside_the_grades_with_the_reply() -> None:
    attempt = Attempt(REQUEST, UNDECIDED, read_verdict(UNDECIDED, FIVE_STEPS))
    undecided = Judgement(PanelJudge("b", "openai:b-1", Approach.STANDARD), "c", (attempt,))
    lines = foot(judged({0: (said("a", verdict(1.0)), undecided)}), 0, 300)
    assert lines[2].startswith("b-1  –  named several classes and chose none: absent and fully present.")
    assert UNDECIDED in lines[2]
    assert lines[3] == "Weval reads 0 in this reply: it takes the first class"
    assert lines[4:6] == ["1 absent or 5 fully present?", "you –  1 no · 2 · 3 half · 4 · 5 yes"]


def test_a_criterion_that_judges_are_asked_about_says_that_it_waits() -> None:
    waiting = judged({}, waiting=frozenset({0, 1, 2}))
    assert drawn(row_of(waiting, "point:0"))[0].startswith("…   –  Names the river")
    assert "waiting for the judges …" in foot(waiting, 0)


def test_a_verdict_shows_before_the_others_have_come() -> None:
    first = judged({0: (said("strict", verdict(0.75, "The Seine.")),)}, waiting=frozenset({0, 1, 2}))
    assert foot(first, 0)[1:3] == ["strict-1  75  The Seine.", "waiting for more judges …"]


def test_in_should_not_a_verdict_is_told_as_it_counts_and_the_grade_asks_for_the_opposite() -> None:
    lines = foot(judged({2: (said("strict", verdict(1.0)),)}), 2)
    assert lines[1] == "strict-1  0"
    assert "how far does it do this? The score counts the opposite" in lines


@pytest.mark.parametrize(
    ("reading", "line"),
    [
        (DECLINED, "kind-1  –  declined to judge. Choose another judge for this text."),
        (OFF_FORM, "kind-1  –  named no class of the scale. Judge again."),
    ],
)
def test_a_judge_that_has_not_judged_is_told_with_what_to_do(reading: NoVerdict, line: str) -> None:
    assert line in foot(judged({0: (said("strict", verdict(1.0)), said("kind", reading))}), 0)


def test_where_no_judge_could_judge_the_criterion_has_no_score() -> None:
    nobody = judged({0: (said("strict", DECLINED),)})
    assert drawn(row_of(nobody, "point:0"))[0].startswith("!   –")


def test_a_judge_still_to_be_asked_leaves_the_criterion_open() -> None:
    stopped = judged({0: (said("strict", verdict(1.0)), said("kind", NOT_ASKED))})
    assert drawn(row_of(stopped, "point:0"))[0].startswith("    –  Names the river")


def test_a_verdict_from_before_an_edit_says_so_and_what_was_another() -> None:
    shown = judged({0: (said("strict", verdict(1.0)),)})
    old = replace(shown.assessments[0], carried_over=(ChangedPart.CRITERIA,))
    assessments = (old, *shown.assessments[1:])
    shown = replace(shown, assessments=assessments, explanation=explain(shown.prompt, assessments))
    assert "before this edit: Names the river" in drawn(row_of(shown, "point:0"))[0]
    assert "before this edit: the judges saw other criteria. J asks them again" in foot(shown, 0)


def test_the_author_s_grade_stands_beside_what_judges_say() -> None:
    shown = judged({0: (said("strict", verdict(1.0)),)})
    own = replace(shown.assessments[0], extent=0.5, by=AssessedBy.HUMAN)
    assessments = (own, *shown.assessments[1:])
    mine = replace(shown, assessments=assessments, explanation=explain(shown.prompt, assessments))
    assert "strict-1  100" in foot(mine, 0)
    assert "you 3  1 no · 2 · 3 half · 4 · 5 yes  0 takes it back" in foot(mine, 0)


def test_a_check_offers_no_grade(march: ResultView) -> None:
    assert not row_of(march, "point:3").can_grade
    assert not [line for line in foot(march, 3) if line.startswith("you")]


def test_a_criterion_says_what_it_does_to_the_score() -> None:
    four = view("- prompt: x\n  should: [a, b, c, d]\n", {0: 0.75, 1: 0.5, 2: 1.0, 3: 1.0})
    assert "met in full: 87.5 · an answer that misses this can still get 75" in foot(four, 0)


def test_agreement_is_told_in_words() -> None:
    both = judged({n: (said("strict", verdict(1.0)), said("kind", verdict(1.0))) for n in range(3)})
    agreed = replace(both, agreement=Agreement(1.0, 3, 2, 3, Interpretation.RELIABLE, "", ()), judges_cost="$0.004")
    texts = [text for text, _ in head_said(agreed)]
    assert texts[0].startswith("The judges agree on all 3 criteria. ")
    assert texts[1] == "The judges cost $0.004."
    assert not [text for text in texts if "reliable" in text]


def test_blocks_of_should_not_are_told_apart() -> None:
    shown = view("- prompt: x\n  should_not:\n    - [a]\n    - [b]\n", {0: 1.0, 1: 0.0})
    assert shown.assessments[0].placed.rubric.block is Block.SHOULD_NOT
    assert "▸ way 1 to avoid counts · 100" in rows(shown)


def test_rows_that_do_not_count_are_quiet(march: ResultView) -> None:
    assert row_of(march, "way:path_4").ink == DIM
