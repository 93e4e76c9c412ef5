"""Which judgements on one criterion count: of the judges of the panel, the newest, and of the backup in their place."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.blueprint import Header, Role
from engine.blueprint.conversation import ThreadTurn
from engine.evaluation.events import Response
from engine.evaluation.verdicts import CountedVerdicts, KnownVerdicts, panel_of
from engine.judging.judge_prompt import Question, context_of, first_request
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import DOCUMENTED_JUDGES, FIVE_STEPS, TEN_STEPS, Approach, Panel, PanelJudge, Scale
from engine.judging.verdict import NoVerdict, Reason, Verdict
from engine.text.record import replace
from engine.text.spans import NOWHERE
from tests.engine.builders import prompt, text

ASKED = Question("the Moon", (ThreadTurn(Role.ASSISTANT, "The Moon.", generated=True),), ("the Moon",))
BEFORE = replace(ASKED, criteria=("the Moon", "the Sun"))
ONE, OTHER, BACKUP = (PanelJudge(name, f"here:{name}", Approach.HOLISTIC) for name in ("one", "other", "backup"))
PANEL = Panel((ONE, OTHER), FIVE_STEPS, BACKUP)
FAILED = NoVerdict(Reason.FAILED, "gave no verdict")


def said(judge: PanelJudge, extent: float | None, asked: Question = ASKED, scale: Scale = FIVE_STEPS) -> Judgement:
    reading = FAILED if extent is None else Verdict(extent, None, "")
    attempt = Attempt(first_request(asked, judge.approach, scale, "m"), "", reading)
    return Judgement(judge, asked.criterion, (attempt,), shown=context_of(judge.approach, asked))


def counted(*given: Judgement, judges: Panel = PANEL) -> CountedVerdicts | None:
    return KnownVerdicts(judges, Header(NOWHERE), {0: ASKED}, given).at(0)


def extents(*given: Judgement, judges: Panel = PANEL) -> list[float | None]:
    found = counted(*given, judges=judges)
    judgements = () if found is None else found.consensus.judgements
    return [None if each.verdict is None else each.verdict.extent for each in judgements]


def test_the_newest_verdict_of_each_judge_counts_in_the_order_of_the_panel() -> None:
    assert extents(said(OTHER, 0.5), said(ONE, 0.0), said(ONE, 1.0)) == [1.0, 0.5]


def test_the_id_of_a_judge_does_not_matter() -> None:
    found = counted(said(replace(ONE, id="renamed"), 1.0), said(OTHER, 0.5))
    assert found is not None
    assert [each.judge for each in found.consensus.judgements] == [ONE, OTHER]


@pytest.mark.parametrize(
    "foreign",
    [
        said(replace(ONE, model="here:foreign"), 1.0),
        said(replace(ONE, approach=Approach.STANDARD), 1.0),
        said(ONE, 1.0, scale=TEN_STEPS),
    ],
    ids=["model", "approach", "scale"],
)
def test_a_verdict_of_another_judge_does_not_count_and_is_named(foreign: Judgement) -> None:
    assert counted(foreign) is None
    (other,) = KnownVerdicts(PANEL, Header(NOWHERE), {0: ASKED}, (foreign,)).others
    assert (other.model, other.criteria) == (foreign.judge.model, 1)


def test_a_judge_that_was_not_asked_leaves_the_point_open() -> None:
    found = counted(said(ONE, 1.0))
    assert found is not None
    assert found.consensus.is_open
    assert [each.judge for each in found.consensus.missing] == [OTHER]


def test_the_backup_counts_where_all_others_failed() -> None:
    assert extents(said(ONE, None), said(OTHER, None), said(BACKUP, 0.5)) == [None, None, 0.5]
    assert extents(said(ONE, None), said(OTHER, 1.0), said(BACKUP, 0.5)) == [None, 1.0]


def test_a_verdict_that_was_not_given_as_backup_is_none_of_the_backup() -> None:
    assert counted(said(replace(BACKUP, id="judge"), 0.5)) is None
    assert extents(said(BACKUP, 0.5)) == [0.5]


def test_a_judge_that_fails_when_it_is_asked_again_keeps_its_verdict() -> None:
    assert extents(said(ONE, 1.0), said(OTHER, 0.5), said(ONE, None)) == [1.0, 0.5]


def test_a_verdict_from_before_an_edit_counts_until_there_is_one_of_today() -> None:
    old = counted(said(ONE, 1.0, BEFORE), said(OTHER, 0.5))
    assert old is not None
    assert old.carried_over
    new = counted(said(ONE, 1.0, BEFORE), said(OTHER, 0.5), said(ONE, 0.0))
    assert new is not None
    assert not new.carried_over


def test_verdicts_from_before_an_edit_stay_where_all_are_asked_anew_in_vain() -> None:
    given = said(ONE, 1.0, BEFORE), said(OTHER, 0.5, BEFORE), said(ONE, None), said(OTHER, None)
    assert extents(*given, judges=replace(PANEL, backup=None)) == [1.0, 0.5, None, None]


def test_the_panel_of_a_run_is_the_one_that_its_judges_are_on() -> None:
    of_today = said(PanelJudge("x", "openrouter:google/gemini-2.5-flash", Approach.HOLISTIC), 1.0, scale=TEN_STEPS)
    assert panel_of([of_today], Header(NOWHERE)).as_weval
    assert panel_of([said(DOCUMENTED_JUDGES[0], 1.0)], Header(NOWHERE)).judges == DOCUMENTED_JUDGES


def known(recorded: Sequence[Judgement], stored: Sequence[Judgement]) -> KnownVerdicts:
    """What counts of one criterion where a case file and the store have verdicts on the same answer."""
    of = prompt([text(ASKED.criterion)])
    judges = Panel((ONE,), FIVE_STEPS)
    return KnownVerdicts.on(of, Header(NOWHERE), Response("", ASKED.thread), judges, lambda *_: stored, recorded)


@pytest.mark.parametrize(
    ("recorded", "stored", "counts"),
    [
        ("", "", "stored"),
        ("", "2026-01-01", "stored"),
        ("2026-01-02", "2026-01-01", "recorded"),
        ("2026-01-01", "2026-01-02", "stored"),
    ],
)
def test_the_newest_verdict_counts_wherever_it_is_recorded(recorded: str, stored: str, counts: str) -> None:
    found = known([replace(said(ONE, 1.0), given=recorded)], [replace(said(ONE, 0.0), given=stored)])
    assert found.consensus[0].mean == (1.0 if counts == "recorded" else 0.0)
    assert {found.cached(key) for key in found.requests} == {found.consensus[0].judgements[0]}


def test_what_a_judge_would_be_asked_anew_is_not_cached() -> None:
    found = known([said(ONE, 1.0, BEFORE)], [said(ONE, None)])
    assert [found.cached(key) for key in found.requests] == [None]
    assert found.cached("another request") is None
