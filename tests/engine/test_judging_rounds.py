"""A panel that is asked several rounds: every request is sent, and the mean of all verdicts counts."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engine.blueprint.conversation import StopReason
from engine.evaluation.events import AllJudged, Response, Scored
from engine.evaluation.sources import Candidate, WrittenSource
from engine.judging.judgement import Consensus, agreement_of, judgement_of, judgement_text
from engine.judging.panel import Approach, BackupWhen, Panel, PanelJudge
from engine.models.chat import ChatEvent, ChatRequest, Finished, TextDelta, Usage
from engine.scoring.assessment import Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.store import PromptPlace, Store
from engine.study.repeats import repeated_answer
from engine.text.record import replace
from tests.engine.builders import prompt, text
from tests.engine.test_judging_evaluation import ONE, THREAD, TWO, Says, judging

RUBRIC = prompt([text("the Moon"), text("the Sun")])
CANDIDATE = Candidate(WrittenSource("The Moon pulls."))


class Varies(Says):
    """A judge whose verdict on the Moon changes with each request on it."""

    def __init__(self, *verdicts: str) -> None:
        super().__init__()
        self.verdicts = list(verdicts)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatEvent]:
        self.requests.append(request)
        of_moon = "the Moon\n</criterion" in request.turns[1].content
        yield TextDelta(self.verdicts.pop(0) if of_moon else "CLASS_FULLY_PRESENT")
        yield Finished(StopReason.STOP, Usage())


async def judged(says: Says, panel: Panel) -> AllJudged:
    assessments = tuple(map(Assessment, place(RUBRIC)))
    scored = Scored(Response("The Moon pulls.", THREAD), assessments, explain(RUBRIC, assessments))
    events = [each async for each in judging(says.resolve, scored, panel, RUBRIC)]
    last = events[-1]
    assert isinstance(last, AllJudged)
    return last


async def test_each_judge_is_asked_each_question_in_each_round() -> None:
    says = Says()
    done = await judged(says, replace(TWO, rounds=3))
    assert len(says.requests) == 2 * 2 * 3
    assert [each.round for each in done.points[0].judgements] == [0, 0, 1, 1, 2, 2]


async def test_the_mean_of_all_verdicts_counts() -> None:
    says = Varies("CLASS_FULLY_PRESENT", "CLASS_ABSENT", "CLASS_PARTIALLY_PRESENT", "CLASS_PARTIALLY_PRESENT")
    done = await judged(says, replace(ONE, rounds=4))
    assert done.scored.assessments[0].extent == 0.5
    assert done.scored.assessments[0].detail.startswith("one: ")


async def test_each_round_has_a_score_of_its_own() -> None:
    says = Varies("CLASS_FULLY_PRESENT", "CLASS_ABSENT")
    done = await judged(says, replace(ONE, rounds=2))
    found = repeated_answer(RUBRIC, done.scored, done)
    assert found is not None
    assert (found.score, sorted(found.rounds)) == (0.75, [0.5, 1.0])


async def test_a_round_that_leaves_a_point_open_is_left_out() -> None:
    says = Varies("CLASS_FULLY_PRESENT", "Sorry, I can't help with that.", "Sorry, I can't help with that.")
    done = await judged(says, replace(ONE, rounds=2))
    found = repeated_answer(RUBRIC, done.scored, done)
    assert found is not None
    assert (found.score, found.rounds) == (1.0, (1.0,))


async def test_an_answer_with_an_open_point_is_no_unit() -> None:
    says = Varies("Sorry, I can't help with that.", "Sorry, I can't help with that.")
    done = await judged(says, ONE)
    assert repeated_answer(RUBRIC, done.scored, done) is None


@pytest.mark.parametrize("when", list(BackupWhen))
async def test_the_backup_is_asked_in_the_rounds_that_need_it(when: BackupWhen) -> None:
    says = Varies(*["Sorry, I can't help with that."] * 2, "CLASS_ABSENT", *["CLASS_FULLY_PRESENT"] * 3)
    backup = PanelJudge("backup", "here:backup", Approach.STANDARD)
    done = await judged(says, replace(ONE, rounds=2, backup=backup, backup_when=when))
    assert sum(each.judge is backup for each in done.points[0].judgements) == 1


async def test_rounds_of_one_judge_are_no_agreement_between_judges() -> None:
    says = Varies("CLASS_FULLY_PRESENT", "CLASS_ABSENT")
    done = await judged(says, replace(ONE, rounds=2))
    assert done.agreement is None


async def test_judges_are_compared_by_the_mean_of_their_rounds() -> None:
    once, thrice = await judged(Says(), TWO), await judged(Says(), replace(TWO, rounds=3))
    assert once.agreement == thrice.agreement
    assert agreement_of([Consensus(())]) is None


async def test_equal_verdicts_of_several_rounds_are_all_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    done = await judged(Says(), replace(ONE, rounds=3))
    store = Store(tmp_path_factory.mktemp("store") / "studio.sqlite3")
    number = store.begin_run(PromptPlace("a.yml", "p"), CANDIDATE, "")
    first, *_ = judgements = done.points[0].judgements
    for each in [replace(each, attempts=first.attempts) for each in judgements]:
        store.save_run_judgement(number, each)
    assert [each.round for each in store.past_judgements(number)] == [0, 1, 2]
    store.close()


async def test_a_judgement_that_was_saved_without_a_round_is_of_the_first() -> None:
    (judgement,) = (await judged(Says(), ONE)).points[0].judgements
    before = judgement_text(judgement).replace(', "round": 0', "")
    assert '"round"' not in before
    assert judgement_of(before) == judgement
