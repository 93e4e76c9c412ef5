"""What criteria and result say of each criterion, held against blueprints that are judged and scored for real."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.judging.judgement import Agreement, Attempt, Interpretation, Judgement
from engine.judging.panel import FIVE_STEPS, Approach, PanelJudge
from engine.judging.verdict import NOT_ASKED, NoVerdict, Reason, Verdict, read_verdict
from engine.models.chat import ChatRequest
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment, ChangedPart
from engine.scoring.explanation import WevalScore
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.views.result_view import ResultView, quoted_by_judges
from studio.tui.panes.criteria_rows import Order, carried, facets_of
from studio.tui.panes.criterion_foot import passage
from studio.tui.panes.score import head_said
from studio.tui.tall_list import DIM
from tests.engine.short_cases import assert_says
from tests.session.faces import Author, Face
from tests.studio.command_line import studio
from tests.studio.results import (
    DECLINED,
    MARCH,
    REQUEST,
    RIVER,
    drawn,
    foot,
    head,
    judged,
    row_of,
    rows,
    said,
    text_of,
    verdict,
    view,
)
from tests.studio.text_files import text_file

OFF_FORM = NoVerdict(Reason.OFF_FORM, "named no class of the scale", "Judge again.")
UNDECIDED = (
    "<reflection>Nothing.</reflection><classification>CLASS_ABSENT</classification> "
    "With the name <classification>CLASS_FULLY_PRESENT</classification>."
)


@pytest.fixture
def march() -> ResultView:
    return view(MARCH, {0: 1.0, 1: 0.75, 2: 0.5, 3: 0.0, 4: 0.0})


# --- What is said of a result


def result(text: str, given: dict[str, Any]) -> ResultView:
    """A result by the places of its criteria: how far each is met, or what judges said of it; also `errors`, by place,
    and the places that are `waiting`."""
    errors = {int(key): error for key, error in given.pop("errors", {}).items()}
    waiting = frozenset[int](given.pop("waiting", ()))
    by_place = {int(key): value for key, value in given.items()}
    if not waiting and not any(isinstance(each, list) for each in by_place.values()):
        return view(text or MARCH, by_place, errors)
    judgements = {at: tuple(said(name, verdict(*read)) for name, *read in each) for at, each in by_place.items()}
    return judged(judgements, text=text or RIVER, waiting=waiting)


def lines_of(mark: str, text: str) -> Iterator[str]:
    """What a mark such as `foot 0 100 {"0": 1.0}` asks for."""
    what, brace, given = mark.partition("{")
    shown = result(text, json.loads(brace + given))
    match what.split():
        case ["rows", *by]:
            yield from rows(shown, *(Order[each] for each in by))
        case ["row", key, width]:
            yield from drawn(row_of(shown, key), int(width))
        case ["foot", place, width]:
            yield from foot(shown, int(place), int(width))
        case ["head" | "opened" as how, width]:
            yield from head(shown, int(width), is_open=how == "opened")
        case _:
            raise ValueError(mark)


def test_what_is_said_of_a_result_is_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("criteria_cases.txt"), lines_of, pytestconfig)


# --- The rows


def test_a_problem_that_has_a_fix_can_be_fixed_from_its_criterion(march: ResultView) -> None:
    start = MARCH.index("$icontains: covenant")
    fixable = replace(march, fixable=(Span(start, start + 9),))
    assert [key for key in ("point:2", "point:3") if row_of(fixable, key).can_fix] == ["point:3"]


@pytest.mark.parametrize(
    ("words", "found"), [("open", {1, 2}), ("failing", set[int]()), ("judges differ", {0}), ("should_not", {2})]
)
def test_the_filter_finds_criteria_by_what_is_true_of_them(words: str, found: set[int]) -> None:
    shown = judged({0: (said("a", verdict(1.0)), said("b", verdict(0.0)))})
    facets = [facets_of(each, shown.words(n)) for n, each in enumerate(shown.assessments)]
    assert {n for n in range(3) if all(word in facets[n] for word in words.split())} == found


# --- Ways


def test_a_way_says_what_it_would_take_to_count(march: ResultView) -> None:
    texts = [text for text, _ in row_of(march, "way:path_4").said]
    assert texts == ["To count instead, an answer has to meet $icontains: proportionate.", "Met in full, it adds 50.0."]


# --- A new criterion


def test_a_criterion_that_is_new_follows_the_one_before_it_in_the_file() -> None:
    before = view("- prompt: x\n  should: [a, b, c]\n", {0: 1.0, 1: 0.0, 2: 0.5})
    now = view("- prompt: x\n  should: [a, new, b, c]\n", {0: 1.0, 2: 0.0, 3: 0.5})
    assert carried((1, 2, 0), before, now) == (2, 3, 0, 1)


def test_a_criterion_that_is_reworded_keeps_its_place() -> None:
    before = view("- prompt: x\n  should: [a, b]\n", {0: 1.0, 1: 0.0})
    assert carried((1, 0), before, view("- prompt: x\n  should: [a, other]\n", {0: 1.0})) == (1, 0)


# --- The head


def test_what_weval_stores_is_told_where_it_is_another_number(march: ResultView) -> None:
    assert not [line for line in head(march) if "Weval" in line]
    explanation = replace(march.explanation, weval=WevalScore(0.5, 0.5, ("It merges paths.",)))
    assert "Weval stores 0.50. It merges paths." in head(replace(march, explanation=explanation))


def test_a_figure_is_never_cut() -> None:
    shown = judged({0: (said("a", verdict(1.0)), said("b", DECLINED)), 1: (said("a", verdict(1.0)),)})
    assert head(replace(shown, answers="a model with a very long name"), 44)[0].startswith("50–100  a model")


# --- What belongs to a criterion


def test_two_classes_of_one_judge_open_the_criterion_and_stand_beside_the_grades_with_the_reply() -> None:
    attempt = Attempt(REQUEST, UNDECIDED, read_verdict(UNDECIDED, FIVE_STEPS))
    undecided = Judgement(PanelJudge("b", "openai:b-1", Approach.STANDARD), "c", (attempt,))
    lines = foot(judged({0: (said("a", verdict(1.0)), undecided)}), 0, 300)
    assert lines[2].startswith("b-1  –  named several classes and chose none: absent and fully present.")
    assert UNDECIDED in lines[2]
    assert lines[3] == "Weval reads 0 in this reply: it takes the first class"
    assert lines[4:6] == ["1 absent or 5 fully present?", "you –  1 no · 2 · 3 half · 4 · 5 yes"]


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


def test_agreement_is_told_in_words() -> None:
    both = judged({n: (said("strict", verdict(1.0)), said("kind", verdict(1.0))) for n in range(3)})
    agreed = replace(both, agreement=Agreement(1.0, 3, 2, 3, Interpretation.RELIABLE, "", ()), judges_cost="$0.004")
    texts = [text for text, _ in head_said(agreed)]
    assert texts[0].startswith("The judges agree on all 3 criteria. ")
    assert texts[1] == "The judges cost $0.004."
    assert not [text for text in texts if "reliable" in text]


def test_rows_that_do_not_count_are_quiet(march: ResultView) -> None:
    assert row_of(march, "way:path_4").ink == DIM


# --- The evidence of checks and judges in the result, in the answer, and in `studio explain`


TEXT = text_file("evidence.yml")


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "river.yml"
    path.write_text(TEXT, "utf-8")
    return path


async def shown(path: Path) -> Face:
    """The file with the ideal run, and the evidence collected."""
    face = Face(path, Author())
    await face.settled()
    face.cursor_at("prompt")
    face.runs.run_or_stop()
    await face.until(lambda: has_evidence(face))
    return face


def lit(face: Face) -> tuple[list[str], bool]:
    """What is lit in the answer, and whether that is only a place to look."""
    view = face.runs.views.answer()
    return [span.of(turn.text) for turn in view.turns for span in turn.evidence], view.is_closest


def has_evidence(face: Face) -> bool:
    run = face.runs.selection.run
    return run is not None and bool(face.runs.evidence.of(run))


async def test_the_detail_of_a_check_shows_what_it_found_or_nearly_found(blueprint: Path) -> None:
    face = await shown(blueprint)
    view = face.runs.views.result()
    assert isinstance(view, ResultView)
    assert "found “Paraná” inside “Paranáense”" in foot(view, 0)
    assert "… people, ⟦since 1949⟧.   groups year: “1949”" in foot(view, 1)
    assert "● “people” once" in foot(view, 2)
    await face.close()


async def test_the_answer_lights_up_the_nearest_miss_as_a_place_to_look(blueprint: Path) -> None:
    face = await shown(blueprint)
    face.runs.selection.select_row(0, ())
    assert lit(face) == (["Paraná"], True)
    await face.close()


async def test_the_answer_lights_up_every_match(blueprint: Path) -> None:
    face = await shown(blueprint)
    face.runs.selection.select_row(1, ())
    assert lit(face) == (["since 1949"], False)
    await face.close()


async def test_a_check_that_changes_has_new_evidence(blueprint: Path) -> None:
    face = await shown(blueprint)
    face.replace("contains_word: Paraná", "contains: Paraná")
    await face.settled()
    await face.until(lambda: has_evidence(face))
    view = face.runs.views.result()
    assert isinstance(view, ResultView)
    assert [match.span for entry in view.evidence[0].entries for match in entry.matches] == [Span(4, 10)]
    await face.close()


def judged_once(reflection: str) -> Judgement:
    judge = PanelJudge("a", "openai:gpt-4o-mini", Approach.STANDARD)
    return Judgement(judge, "Names the people", (Attempt(ChatRequest("m", ()), "", Verdict(1.0, None, reflection)),))


def test_what_a_judge_quotes_replaces_the_closest_sentence() -> None:
    answer = "The Paranáense people, since 1949."
    judgements = (judged_once("It names “the Paranáense people” and “nobody else”."),)
    assert [span.of(answer) for span in quoted_by_judges(judgements, answer)] == ["The Paranáense people"]
    prompt = parse("- prompt: x\n  should:\n    - Names the people\n").blueprint.prompts[0]
    assessments = (Assessment(place(prompt)[0], 1.0, AssessedBy.JUDGE),)
    view = ResultView(prompt, "a", explain(prompt, assessments), assessments, answer=answer)
    view = replace(view, judgements={0: judgements})
    assert text_of(passage(view, 0, 80, None)) == [" answer  ⟦The Paranáense people⟧"]


def test_explain_prints_the_evidence_of_each_check(blueprint: Path) -> None:
    lines = [line.strip() for line in studio("explain", blueprint, "--prompt", "river", "--ideal").stdout.splitlines()]
    assert "found “Paraná” inside “Paranáense”" in lines
    assert "… people, ⟦since 1949⟧.   groups year: “1949”" in lines


def test_explain_gives_the_evidence_as_json(blueprint: Path) -> None:
    run = studio("explain", blueprint, "--prompt", "river", "--ideal", "--format", "json")
    word, pattern, _ = json.loads(run.stdout)[0]["evidence"]
    assert word["entries"][0]["nearest"] == {
        "line": 1,
        "column": 5,
        "text": "Paraná",
        "kinds": ["boundary"],
        "within": "Paranáense",
        "distance": 0,
        "message": "found “Paraná” inside “Paranáense”",
    }
    assert pattern["entries"][0]["matches"] == [
        {"line": 1, "column": 24, "text": "since 1949", "groups": {"year": "1949"}}
    ]
