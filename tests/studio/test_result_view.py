"""What the result pane says, as rows: held against blueprints that are parsed and scored for real."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment, Bounds, PlacedPoint
from engine.scoring.explanation import PointScore
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.scoring.what_if import Fall
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_head import head_content
from studio.tui.panes.result_row import ResultRow
from studio.tui.panes.result_rows import ResultRows
from studio.tui.panes.sections import result_rows
from studio.tui.panes.sections.waterfall_section import BAR_CELLS, bar

WORKED_EXAMPLE = """
- id: censorship
  prompt: May a state ban a march?
  should:
    - Names the three-part test
    - Says that offence alone is no ground
    - Gives an example from case law
    - - $icontains: covenant
    - - $icontains: proportionate
"""


ASSESSED = Assessment(place(parse(WORKED_EXAMPLE).blueprint.prompts[0])[0], 0.0)


def view(text: str, extents: Mapping[int, float | None], errors: Mapping[int, str] | None = None) -> ResultView:
    prompt = parse(text).blueprint.prompts[0]
    errors = errors or {}

    def assessed(index: int, placed: PlacedPoint) -> Assessment:
        if (extent := extents.get(index)) is None:
            return Assessment(placed)
        by = AssessedBy.HUMAN if placed.point.function is None else AssessedBy.FUNCTION
        return Assessment(placed, extent, by, error=errors.get(index))

    assessments = tuple(assessed(index, placed) for index, placed in enumerate(place(prompt)))
    return ResultView(prompt, "the ideal", explain(prompt, assessments), assessments)


@pytest.fixture
def worked_example() -> tuple[ResultRow, ...]:
    return result_rows(view(WORKED_EXAMPLE, {0: 1.0, 1: 0.75, 2: 0.5, 3: 0.0, 4: 0.0}))


def row(rows: tuple[ResultRow, ...], key: str) -> ResultRow:
    return next(row for row in rows if row.key == key)


def words(cells: tuple[object, ...]) -> str:
    return " ".join(cell.text for cell in cells)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("key", "figures"),
    [
        ("point:0", "0.0 0.0"),
        ("point:1", "4.2 4.2"),
        ("point:2", "8.3 8.3"),
        ("point:3", "50.0 50.0"),
        ("point:4", "0.0 50.0"),
    ],
)
def test_a_point_has_its_cost_and_its_gain(worked_example: tuple[ResultRow, ...], key: str, figures: str) -> None:
    assert words(row(worked_example, key).tail).split() == figures.split()


def test_the_costs_fall_from_100_to_the_score(worked_example: tuple[ResultRow, ...]) -> None:
    falls = [row for row in worked_example if row.key.startswith("fall:")]
    assert [(each.text, each.tail[-2].text.strip(), each.tail[-1].text.strip()) for each in falls] == [
        ("Says that offence alone is no ground", "−4.2", "95.8"),
        ("Gives an example from case law", "−8.3", "87.5"),
        ("$icontains: covenant", "−50.0", "37.5"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "drawn"),
    [
        (1000, 500, "██████" + "██████"),
        (958, 875, "██████████▌" + "▌"),
        (1000, 995, "███████████" + "▉"),
        (20, 0, "▎"),
        (1000, 0, "████████████"),
    ],
)
def test_a_bar_shows_what_is_left_and_what_was_taken(before: float, after: float, drawn: str) -> None:
    cells = bar(Fall(PointScore(ASSESSED, 1, 1, 1, Bounds(0, 1)), before / 1000, after / 1000, 0))
    assert sum(len(cell.text) for cell in cells) == BAR_CELLS
    assert "".join(cell.text for cell in cells).rstrip() == drawn


@pytest.mark.parametrize(("key", "mark"), [("point:0", "● 100"), ("point:1", "◐  75"), ("point:3", "○   0")])
def test_a_point_is_marked_by_a_sign_and_its_score(worked_example: tuple[ResultRow, ...], key: str, mark: str) -> None:
    assert mark in words(row(worked_example, key).lead)


def test_a_path_says_that_it_counts(worked_example: tuple[ResultRow, ...]) -> None:
    assert "the best" in row(worked_example, "path:path_3").text
    assert "does not count" in words(row(worked_example, "path:path_4").detail)


def test_a_path_says_what_meeting_it_would_add(worked_example: tuple[ResultRow, ...]) -> None:
    assert "50.0" in words(row(worked_example, "path:path_3").detail)


def test_the_arithmetic_stands_in_the_order_it_is_done(worked_example: tuple[ResultRow, ...]) -> None:
    results = [row.tail[-1].text.strip() for row in worked_example if row.key.startswith("step:")]
    assert results == ["75.0", "0.0", "0.0", "0.0", "37.5", "0.38"]


def test_advice_is_ranked_by_what_it_gains(worked_example: tuple[ResultRow, ...]) -> None:
    gains = [float(row.tail[0].text) for row in worked_example if row.key.startswith("advice:")]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] == 50.0


def test_a_point_goes_to_its_place_in_the_source(worked_example: tuple[ResultRow, ...]) -> None:
    target = row(worked_example, "point:1").target
    assert target is not None
    assert target.of(WORKED_EXAMPLE) == "Says that offence alone is no ground"


def test_a_function_stands_as_its_author_wrote_it(worked_example: tuple[ResultRow, ...]) -> None:
    assert row(worked_example, "point:3").text == "$icontains: covenant"


def test_the_weight_column_is_there_only_where_weights_differ(worked_example: tuple[ResultRow, ...]) -> None:
    weighted = WORKED_EXAMPLE.replace("- Names the three-part test", "- {point: Names the test, weight: 3}")
    rows = result_rows(view(weighted, {0: 1.0}))
    assert words(row(worked_example, "heading:points").tail).split() == ["cost", "gain"]
    assert words(row(rows, "heading:points").tail).split() == ["weight", "cost", "gain"]
    assert words(row(rows, "point:0").tail).split() == ["3", "0.0", "0.0"]


def test_a_text_point_offers_the_five_grades_in_words() -> None:
    detail = words(row(result_rows(view(WORKED_EXAMPLE, {0: 1.0})), "point:1").detail)
    for said in ("1 absent 0", "2 slightly 25", "3 partially 50", "4 majorly 75", "5 fully 100"):
        assert said in detail


def test_a_function_offers_no_grade(worked_example: tuple[ResultRow, ...]) -> None:
    function = row(worked_example, "point:3")
    assert not function.gradeable
    assert "fully present" not in words(function.detail)


def test_a_point_that_nobody_judged_has_no_score() -> None:
    rows = result_rows(view(WORKED_EXAMPLE, {0: 1.0}))
    assert "?   –" in words(row(rows, "point:1").lead)


def test_an_error_is_shown_as_an_error() -> None:
    rows = result_rows(view(WORKED_EXAMPLE, {0: 1.0, 3: 0.0}, {3: "the pattern is broken"}))
    assert "!" in words(row(rows, "point:3").lead)
    assert "the pattern is broken" in words(row(rows, "point:3").detail)


def test_nothing_is_shown_before_anything_is_scored() -> None:
    assert result_rows(replace(view(WORKED_EXAMPLE, {}), explanation=None)) == ()


def test_advice_says_that_it_can_be_mended_where_there_is_a_fix() -> None:
    plain = view(WORKED_EXAMPLE, {0: 1.0, 1: 0.75, 2: 0.5, 3: 0.0, 4: 0.0})
    start = WORKED_EXAMPLE.index("- $icontains: covenant")
    with_fix = replace(plain, fixable=(Span(start, start + 22),))
    rows = {row.key: row.fixable for row in result_rows(with_fix) if row.key.startswith("advice:flatten")}
    assert rows == {"advice:flatten the paths → 45.0": True}
    assert not any(row.fixable for row in result_rows(plain))


def test_a_path_has_one_number(worked_example: tuple[ResultRow, ...]) -> None:
    path = row(worked_example, "path:path_4")
    assert (path.text, path.detail[0].text) == (
        "path 2, level: meet $icontains: proportionate",
        "path 2",
    )


def test_a_path_with_points_that_are_not_judged_has_its_bounds() -> None:
    rows = result_rows(view("- id: p\n  prompt: x\n  should:\n    - [a, b]\n    - [c, d]\n", {0: 1.0, 2: 0.0, 3: 0.0}))
    first = row(rows, "path:path_0")
    assert words(first.lead).split() == ["▸", "50–100"]
    assert first.text == "path 1, the best, 50 to 100 ahead"
    assert "50–100, 1 of 2 points judged" in words(first.detail)


def test_a_path_that_another_can_still_pass_is_the_best_so_far() -> None:
    rows = result_rows(view("- id: p\n  prompt: x\n  should:\n    - [a, b]\n    - [c, d]\n", {0: 1.0, 2: 0.5}))
    assert row(rows, "path:path_0").text.startswith("path 1, the best so far, 25 behind to 75 ahead: meet ")
    assert "which path is the best is still open" in words(row(rows, "path:path_1").detail)


def head(text: str, extents: Mapping[int, float | None]) -> list[str]:
    return head_content(view(text, extents), 50).plain.splitlines()


def test_the_head_has_the_bounds_first_and_how_much_is_judged() -> None:
    lines = head("- id: p\n  prompt: x\n  should: [a, b, c, d, e]\n", {0: 1.0})
    assert lines[1].startswith("20–100  ")
    assert lines[2:] == ["1 of 5 points judged", "the mean of 5 points"]


def test_the_head_of_an_open_score_does_not_tell_what_weval_stores() -> None:
    assert not [line for line in head(WORKED_EXAMPLE, {0: 1.0}) if "Weval" in line]


def test_the_head_of_paths_adds_up_within_the_bounds() -> None:
    assert head(WORKED_EXAMPLE, {0: 1.0, 1: 1.0, 3: 0.0})[2:] == [
        "3 of 5 points judged",
        "required points  66.7–100 ─┐",
        "best path           0–100 ─┴ their mean: 33.3–100",
    ]


def test_nothing_judged_has_no_figure() -> None:
    assert head("- id: p\n  prompt: x\n  should: [a, b]\n", {})[1].startswith("not judged yet  ")


def test_a_prompt_without_points_says_that_nothing_is_scored() -> None:
    assert head("- id: p\n  prompt: x\n", {})[1] == "no points: nothing is scored"


def test_the_arithmetic_of_an_open_score_says_that_it_is_over_what_is_judged() -> None:
    rows = result_rows(view(WORKED_EXAMPLE, {0: 1.0}))
    assert row(rows, "heading:arithmetic").text == "over what is judged"
    assert "Weval's figure" not in [row.lead[0].text.strip() for row in rows if row.key.startswith("step:")]


# --- Narrow lists


def drawn(shown: ResultRow, width: int) -> str:
    return "".join(text for text, _ in ResultRows("").draw(shown, width))


MEAN = "- id: p\n  prompt: x\n  should:\n    - Names the form of the notice that the landlord has to give\n    - b\n"


def test_a_narrow_list_leaves_out_gains_that_repeat_the_costs() -> None:
    rows = result_rows(view(MEAN, {0: 0.5, 1: 1.0}))
    assert drawn(row(rows, "heading:points"), 40).split() == ["Points", "cost"]
    assert drawn(row(rows, "heading:points"), 80).split() == ["Points", "cost", "gain"]
    assert drawn(row(rows, "point:0"), 40) == "◐  50  Names the form of the noti…  25.0"


def test_a_narrow_list_keeps_gains_that_are_other_figures(worked_example: tuple[ResultRow, ...]) -> None:
    assert drawn(row(worked_example, "heading:points"), 40).split() == ["Points", "cost", "gain"]


def test_a_narrow_list_shows_only_weights_that_are_not_1() -> None:
    rows = result_rows(view(MEAN.replace("- b\n", "- {point: b, weight: 2.5}\n"), {0: 1.0, 1: 1.0}))
    assert drawn(row(rows, "point:0"), 40).split()[-2:] == ["the…", "0.0"]
    assert drawn(row(rows, "point:1"), 40).split() == ["●", "100", "b", "×2.5", "0.0"]


def test_a_point_that_is_not_judged_has_one_dash_in_the_columns_that_are_there() -> None:
    rows = result_rows(view(MEAN, {0: 0.5}))
    assert drawn(row(rows, "point:1"), 40) == "?   –  b                               –"


def test_a_wide_list_has_the_severity_of_each_point_too() -> None:
    rows = result_rows(view(MEAN, {0: 0.5}))
    assert drawn(row(rows, "heading:points"), 110).split() == ["Points", "severity", "cost", "gain"]
    assert drawn(row(rows, "point:0"), 110).split()[-3:] == ["50.0", "25.0", "25.0"]
    assert drawn(row(rows, "point:1"), 110).split()[-3:] == ["50.0", "–", "–"]


def test_a_detail_says_the_cost_that_the_list_shows() -> None:
    four = "- id: p\n  prompt: x\n  should: [a, b, c, d]\n"
    first = row(result_rows(view(four, {0: 0.75, 1: 0.5, 2: 1.0, 3: 1.0})), "point:0")
    assert first.tail[0].text.strip() == "6.3"
    assert "weight 1 · costs 6.3: met in full, the score would be 87.5" in [cell.text for cell in first.detail]
