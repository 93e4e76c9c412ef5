"""What the result says of judges, as rows: while they work, once they are done, and where they have not judged."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from engine.blueprint import Role
from engine.evaluation.verdicts import consensus_assessment
from engine.judging.judgement import Agreement, Attempt, Consensus, Interpretation, Judgement
from engine.judging.panel import FIVE_STEPS, Approach, PanelJudge
from engine.judging.verdict import NOT_ASKED, NoVerdict, Reading, Reason, Verdict, read_verdict
from engine.models.chat import ChatRequest, Turn
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.text.record import replace
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Ink, ResultRow
from studio.tui.panes.sections import result_rows

BLUEPRINT = """
- id: river
  prompt: What is the capital of France?
  should:
    - Names the river
    - Names the country
  should_not:
    - Tells a joke
"""
UNDECIDED = (
    "<reflection>Nothing.</reflection><classification>CLASS_ABSENT</classification> "
    "With the name <classification>CLASS_FULLY_PRESENT</classification>."
)
REQUEST = ChatRequest("m", (Turn(Role.USER, "Grade this."),))
DECLINED = NoVerdict(Reason.DECLINED, "declined to judge", "Choose another judge for this text.")
OFF_FORM = NoVerdict(Reason.OFF_FORM, "named no class of the scale", "Judge again.")
TIMED_OUT = NoVerdict(Reason.TIMED_OUT, "gave no verdict (It took longer than 45 seconds)", "Try again later.")


def verdict(extent: float, reflection: str = "") -> Verdict:
    return Verdict(extent, next(step for step in FIVE_STEPS.steps if step.extent == extent), reflection)


def said(name: str, reading: Reading, *, reused: bool = False) -> Judgement:
    judge = PanelJudge(name, f"openai:{name}-1", Approach.STANDARD)
    return Judgement(judge, "c", (Attempt(REQUEST, "raw", reading),), reused=reused)


def view(judgements: Mapping[int, tuple[Judgement, ...]], *, waiting: frozenset[int] = frozenset()) -> ResultView:
    """The result of `BLUEPRINT` after these judgements; points that are waited for are not assessed yet."""
    prompt = parse(BLUEPRINT).blueprint.prompts[0]
    assessments: list[Assessment] = []
    for index, placed in enumerate(place(prompt)):
        is_done = index not in waiting and index in judgements
        assessments.append(
            consensus_assessment(placed, Consensus(judgements[index])) if is_done else Assessment(placed)
        )
    explanation = explain(prompt, assessments)
    return ResultView(
        prompt, "the ideal", explanation, tuple(assessments), judgements=dict(judgements), waiting=waiting
    )


def row(of: ResultView, key: str) -> ResultRow:
    return next(row for row in result_rows(of) if row.key == key)


def detail(of: ResultView, key: str) -> list[str]:
    return [cell.text for cell in row(of, key).detail]


def words(of: ResultView, key: str) -> str:
    shown = row(of, key)
    return "".join([*(cell.text for cell in shown.lead), shown.text, *(cell.text for cell in shown.tail)])


def test_two_classes_of_one_judge_open_the_point_and_stand_beside_the_grades_with_the_reply() -> None:
    attempt = Attempt(REQUEST, UNDECIDED, read_verdict(UNDECIDED, FIVE_STEPS))
    undecided = Judgement(PanelJudge("b", "openai:b-1", Approach.STANDARD), "c", (attempt,))
    shown = view({0: (said("a", verdict(1.0)), undecided)})
    lines = detail(shown, "point:0")
    assert not shown.assessments[0].assessed
    for expected in (
        "open, between 50 and 100: a judge named several classes and chose none; a: fully present",
        "1 absent or 5 fully present?",
        "1…5 grades it yourself, 0 takes that back",
        " –    –  b named several classes and chose none: absent and fully present",
        UNDECIDED,
        "Weval reads 0 in this reply: it takes the first class",
    ):
        assert expected in lines, (expected, lines)
    assert lines.index("1 absent or 5 fully present?") + 1 == lines.index("1…5 grades it yourself, 0 takes that back")


def test_a_point_that_judges_are_asked_about_says_that_it_waits() -> None:
    waiting = view({}, waiting=frozenset({0, 1, 2}))
    assert words(waiting, "point:0").startswith("…   –  Names the river")
    assert words(waiting, "point:0").endswith("waits")
    assert "waiting for judges …" in detail(waiting, "point:0")


def test_a_verdict_shows_before_the_others_have_come() -> None:
    first = view({0: (said("strict", verdict(0.75, "The Seine, in passing.")),)}, waiting=frozenset({0, 1, 2}))
    shown = detail(first, "point:0")
    assert "strict: majorly present; waiting for more …" in shown
    assert shown[-2:] == [" ◐   75  strict: majorly present", "The Seine, in passing."]


def test_what_stands_above_the_verdicts_stays_in_its_line_when_they_come() -> None:
    none = detail(view({}, waiting=frozenset({0})), "point:0")
    one = detail(view({0: (said("strict", verdict(0)),)}, waiting=frozenset({0})), "point:0")
    both = detail(view({0: (said("strict", verdict(0)), said("kind", DECLINED))}), "point:0")
    assert len(none) == 5
    assert none[2:4] == one[2:4] == both[2:4]
    assert [line.partition(" ")[0] for line in (none[4], one[4], both[4])] == ["weight"] * 3


def test_two_verdicts_are_summed_before_the_eyes() -> None:
    both = view({0: (said("strict", verdict(0.75)), said("kind", verdict(0.5)))})
    assert "2 judges: 75 and 50, mean 62.5, rounded 63" in detail(both, "point:0")


def test_in_should_not_the_detail_says_what_the_verdict_counts() -> None:
    joke = view({2: (said("strict", verdict(1)),)})
    assert "strict: fully present, so it counts 0 here" in detail(joke, "point:2")


@pytest.mark.parametrize(
    ("reading", "line", "ink"),
    [
        (DECLINED, " –    –  kind declined to judge: no verdict", Ink.WARNING),
        (OFF_FORM, " –    –  kind named no class of the scale: no verdict", Ink.WARNING),
        (
            TIMED_OUT,
            " !    –  kind gave no verdict (It took longer than 45 seconds)",
            Ink.ERROR,
        ),
    ],
)
def test_a_judge_that_has_not_judged_is_told_with_what_to_do(reading: NoVerdict, line: str, ink: Ink) -> None:
    point = row(view({0: (said("strict", verdict(1)), said("kind", reading))}), "point:0")
    at = next(index for index, cell in enumerate(point.detail) if "kind" in cell.text)
    assert (point.detail[at].text, point.detail[at].ink) == (line, ink)
    assert point.detail[at + 1].text == reading.advice


def test_where_no_judge_could_judge_the_point_is_failed() -> None:
    nobody = view({0: (said("strict", DECLINED), said("kind", OFF_FORM))})
    assert "no judge could judge it: it takes no part in the score" in detail(nobody, "point:0")
    assert words(nobody, "point:0").startswith("!   –")


def test_a_judge_that_failed_beside_another_leaves_the_score_and_its_bounds() -> None:
    partly = view({0: (said("strict", verdict(1)), said("kind", DECLINED))})
    assert "strict: fully present, between 50 and 100" in detail(partly, "point:0")
    assert words(partly, "point:0").startswith("● 100")


def test_a_judge_still_to_be_asked_leaves_the_point_open() -> None:
    stopped = view({0: (said("strict", verdict(1)), said("kind", NOT_ASKED))})
    assert "strict: fully present, between 50 and 100 until all have judged" in detail(stopped, "point:0")
    assert words(stopped, "point:0").startswith("?   –")


def test_a_verdict_from_before_says_so() -> None:
    kept = view({0: (said("strict", verdict(1), reused=True),)})
    assert any(", cached" in line for line in detail(kept, "point:0"))


def test_the_author_s_own_grade_counts_whatever_judges_said() -> None:
    judged = view({0: (said("strict", verdict(1)),)})
    own = replace(judged.assessments[0], extent=0.5, by=AssessedBy.HUMAN, detail="you graded it partially present")
    assessments = (own, *judged.assessments[1:])
    mine = replace(judged, assessments=assessments, explanation=explain(judged.prompt, assessments))
    assert "you graded it partially present; that counts, whatever judges say" in detail(mine, "point:0")


def test_each_judge_has_a_row_with_how_often_it_judged_and_why_not_always() -> None:
    two = view({0: (said("strict", verdict(1)), said("kind", DECLINED)), 1: (said("strict", verdict(1), reused=True),)})
    assert words(two, "judge:strict(openai:strict-1):standard") == "  strict  2 of 2 judged (1 cached)"
    assert words(two, "judge:kind(openai:kind-1):standard") == "  kind  0 of 1 judged"
    assert "1 point: declined to judge. Choose another judge for this text." in detail(
        two, "judge:kind(openai:kind-1):standard"
    )


def test_agreement_is_told_once_all_have_spoken_and_what_to_make_of_it() -> None:
    both = {0: (said("strict", verdict(1)), said("kind", verdict(0)))}
    agreement = Agreement(-0.2, 1, 2, 1, Interpretation.UNRELIABLE, "", ())
    done = replace(view(both), agreement=agreement)
    assert "-0.2 over 1 point (Krippendorff's alpha), unreliable" in words(done, "agreement")
    assert any("look where they differ" in line for line in detail(done, "agreement"))
    assert not any(row.key == "agreement" for row in result_rows(view(both, waiting=frozenset({1}))))


def test_without_judges_nothing_is_said_of_them() -> None:
    assert not any("judge" in row.key for row in result_rows(view({})))
