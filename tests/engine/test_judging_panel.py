"""Who judges, by which scale, and what that will send."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Header, Role
from engine.blueprint.conversation import StopReason, ThreadTurn
from engine.evaluation.events import Response, Scored
from engine.evaluation.sources import Candidate, WrittenSource
from engine.evaluation.verdicts import CountedVerdicts, KnownVerdicts, consensus_assessment, panel_of
from engine.judging.judge_prompt import Question, SentText, context_of, count_text_points, first_request, sent_texts
from engine.judging.judgement import (
    Attempt,
    Consensus,
    Interpretation,
    Judgement,
    agreement_of,
    judgement_of,
    judgement_text,
)
from engine.judging.panel import (
    ALL_SCALES,
    DOCUMENTED_JUDGES,
    FIVE_STEPS,
    TEN_STEPS,
    Approach,
    BackupWhen,
    JudgesAs,
    OneJudge,
    Panel,
    PanelJudge,
    Scale,
    find_step,
    panel,
)
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict
from engine.models.chat import ChatEvent, ChatRequest, Finished, TextDelta, Turn, Usage
from engine.parsing import parse
from engine.scoring.assessment import Assessment, Grade
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.store import PromptPlace, Store
from engine.study.repeats import repeated_answer
from engine.text.record import replace
from engine.text.spans import NOWHERE
from tests.engine.builders import check, prompt, text
from tests.engine.short_cases import assert_says
from tests.engine.test_judging_evaluation import ONE, THREAD, TWO, Says, judging
from tests.expected import of_kind, present
from tests.many_cases import every

# Who judges, by which scale, and what that will send


def header(coverage: str = "") -> Header:
    """The header of a blueprint with these lines under `llm-coverage`."""
    lines = "".join(f"    {line}\n" for line in coverage.splitlines())
    configured = f"evaluationConfig:\n  llm-coverage:\n{lines}" if lines else ""
    return parse(f"title: T\n{configured}---\n- prompt: q\n  should: [a]\n").blueprint.header


CUSTOM = """\
judges:
  - id: primary-judge
    model: anthropic:claude-3-5-sonnet
    approach: holistic
  - model: openai:gpt-4o
    approach: prompt-aware
useExperimentalScale: true
"""


# Scales


def test_the_documented_scale_has_the_five_classes_by_which_authors_grade() -> None:
    assert [(step.name, step.extent) for step in FIVE_STEPS.steps] == [(grade.value, grade.extent) for grade in Grade]


def test_the_experimental_scale_has_the_ten_documented_extents() -> None:
    extents = [0.0, 0.001, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0]
    assert [step.extent for step in TEN_STEPS.steps] == extents


@pytest.mark.parametrize("scale", [FIVE_STEPS, TEN_STEPS], ids=lambda scale: scale.name)
def test_the_examples_of_a_scale_use_its_own_classes(scale: Scale) -> None:
    names = [step.name for step in scale.steps]
    assert len(scale.examples) >= 3
    assert all(example.name in names for example in scale.examples)


@every("scale", ALL_SCALES, ids=lambda scale: scale.name)
def test_a_class_is_known_by_its_name_in_any_writing(scale: Scale) -> None:
    for step in scale.steps:
        assert scale.step(step.name) is scale.step(step.label) is scale.step(step.name.lower()) is step


def test_a_name_of_no_scale_is_not_understood() -> None:
    assert find_step("CLASS_WONDERFUL", FIVE_STEPS) is find_step("", FIVE_STEPS) is None


# Panels


def told(mark: str, coverage: str) -> Iterator[str]:
    """The panel of a blueprint with these settings: as documented, as on Weval, or of one model, perhaps somewhere."""
    named = {"documented": JudgesAs.DOCUMENTED, "weval": JudgesAs.WEVAL_TODAY}
    found = panel(header(coverage), named.get(mark) or OneJudge(*mark.split()))
    whose = "of the blueprint" if found.custom else "of nobody's choice"
    yield f"{whose}, by {found.scale.name}: {len(found.scale.steps)} steps"
    for judge in found.judges:
        yield f"  {judge.label} {judge.approach}, asked for {' at '.join(filter(None, judge.address))}"
    if found.backup is not None:
        needed = [count for count in range(len(found.judges) + 1) if found.needs_backup(count)]
        yield f"  backup {found.backup.label} {found.backup.approach}, where {needed} of them judge"
    yield from found.left_out


def test_who_judges_is_as_the_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("panels.txt"), told, pytestconfig)


# What a run sends


def test_holistic_judges_are_sent_the_description_and_all_criteria_beside_what_all_are_sent() -> None:
    holistic, standard = panel(header(CUSTOM)).judges
    both = (SentText.CONVERSATION, SentText.CRITERION)
    assert sent_texts(standard, described=True) == both
    assert sent_texts(holistic, described=True) == (*both, SentText.DESCRIPTION, SentText.CRITERIA)
    assert sent_texts(holistic, described=False) == (*both, SentText.CRITERIA)


def test_only_points_in_words_are_for_judges() -> None:
    assert count_text_points(prompt([text("a"), check("is_json", True), [text("b")]], [text("c")])) == 3


# A panel that is asked several rounds: every request is sent, and the mean of all verdicts counts


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


async def judged(says: Says, panel: Panel) -> Scored:
    assessments = tuple(map(Assessment, place(RUBRIC)))
    scored = Scored(Response("The Moon pulls.", THREAD), assessments, explain(RUBRIC, assessments))
    events = [each async for each in judging(says.resolve, scored, panel, RUBRIC)]
    return of_kind(Scored, events[-1])


async def test_each_judge_is_asked_each_question_in_each_round() -> None:
    says = Says()
    done = await judged(says, replace(TWO, rounds=3))
    assert len(says.requests) == 2 * 2 * 3
    assert [each.round for each in done.verdicts[0].judgements] == [0, 0, 1, 1, 2, 2]


async def test_the_mean_of_all_verdicts_counts() -> None:
    says = Varies("CLASS_FULLY_PRESENT", "CLASS_ABSENT", "CLASS_PARTIALLY_PRESENT", "CLASS_PARTIALLY_PRESENT")
    done = await judged(says, replace(ONE, rounds=4))
    assert done.assessments[0].extent == 0.5
    assert done.assessments[0].detail.startswith("one: ")


async def test_each_round_has_a_score_of_its_own() -> None:
    says = Varies("CLASS_FULLY_PRESENT", "CLASS_ABSENT")
    done = await judged(says, replace(ONE, rounds=2))
    found = present(repeated_answer(RUBRIC, done))
    assert (found.score, sorted(found.rounds)) == (0.75, [0.5, 1.0])


async def test_a_round_that_leaves_a_point_open_is_left_out() -> None:
    says = Varies("CLASS_FULLY_PRESENT", "Sorry, I can't help with that.", "Sorry, I can't help with that.")
    done = await judged(says, replace(ONE, rounds=2))
    found = present(repeated_answer(RUBRIC, done))
    assert (found.score, found.rounds) == (1.0, (1.0,))


async def test_an_answer_with_an_open_point_is_no_unit() -> None:
    says = Varies("Sorry, I can't help with that.", "Sorry, I can't help with that.")
    done = await judged(says, ONE)
    assert repeated_answer(RUBRIC, done) is None


@pytest.mark.parametrize("when", list(BackupWhen))
async def test_the_backup_is_asked_in_the_rounds_that_need_it(when: BackupWhen) -> None:
    says = Varies(*["Sorry, I can't help with that."] * 2, "CLASS_ABSENT", *["CLASS_FULLY_PRESENT"] * 3)
    backup = PanelJudge("backup", "here:backup", Approach.STANDARD)
    done = await judged(says, replace(ONE, rounds=2, backup=backup, backup_when=when))
    assert sum(each.judge is backup for each in done.verdicts[0].judgements) == 1


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
    first, *_ = judgements = done.verdicts[0].judgements
    for each in [replace(each, attempts=first.attempts) for each in judgements]:
        store.save_run_judgement(number, each)
    assert [each.round for each in store.past_judgements(number)] == [0, 1, 2]
    store.close()


async def test_a_judgement_that_was_saved_without_a_round_is_of_the_first() -> None:
    (judgement,) = (await judged(Says(), ONE)).verdicts[0].judgements
    before = judgement_text(judgement).replace(', "round": 0', "")
    assert '"round"' not in before
    assert judgement_of(before) == judgement


# What several judges amount to: mean, rounding, inversion, agreement, and who is left out


REQUEST = ChatRequest("m", (Turn(Role.USER, "Grade this."),))
DECLINED = NoVerdict(Reason.DECLINED, "declined to judge")


def judge(name: str) -> PanelJudge:
    return PanelJudge(name, f"here:{name}", Approach.STANDARD)


def judgement(name: str, reading: Reading) -> Judgement:
    return Judgement(judge(name), "c", (Attempt(REQUEST, "raw", reading),))


def verdict(extent: float, reflection: str = "") -> Verdict:
    step = next((step for step in (*FIVE_STEPS.steps, *TEN_STEPS.steps) if step.extent == extent), None)
    return Verdict(extent, step, reflection)


def consensus(*readings: Reading) -> Consensus:
    return Consensus(tuple(judgement(name, reading) for name, reading in zip("abcdef", readings, strict=False)))


def test_an_open_point_has_no_extent_and_says_who_left_it_open() -> None:
    several = NoVerdict(Reason.SEVERAL_CLASSES, "named several classes", named=(Verdict(0.0, None, ""),))
    found = consensus_assessment(place(prompt([text("the Moon")]))[0], consensus(verdict(0.75), several))
    assert (found.extent, found.error, found.by) == (None, None, None)
    assert found.detail == "a: majorly present; b named several classes"


def test_judges_without_an_id_go_by_their_models() -> None:
    said = [(name, verdict(extent, "Why.")) for name, extent in (("a", 1.0), ("b", 0.0))]
    agreed = Consensus(
        tuple(
            Judgement(PanelJudge("standard", f"here:{name}", Approach.STANDARD), "c", (Attempt(REQUEST, "raw", each),))
            for name, each in said
        )
    )
    assert agreed.summary == "a: fully present, b: absent; mean 0.5"
    assert agreed.reflection == "a: Why.\nb: Why."


def test_agreement_compares_the_verdicts_and_knows_the_backup_s_model() -> None:
    points = [consensus(verdict(1), verdict(0.75), DECLINED), consensus(verdict(0), DECLINED, verdict(0))]
    found = present(agreement_of(points))
    assert (found.items, found.comparisons, found.interpretation) == (2, 2, Interpretation.RELIABLE)
    assert [(each.judge_id, each.model, each.assessments) for each in found.judges] == [
        ("a", "here:a", 2),
        ("b", "here:b", 1),
        ("c", "here:c", 1),
    ]


def test_one_judge_alone_agrees_with_nobody() -> None:
    assert agreement_of([consensus(verdict(1)), consensus(verdict(0), DECLINED)]) is None


@given(
    st.lists(st.sampled_from([step.extent for step in (*FIVE_STEPS.steps, *TEN_STEPS.steps)]), min_size=1, max_size=6)
)
def test_a_consensus_lies_between_its_verdicts_but_for_rounding(extents: list[float]) -> None:
    extent = present(consensus(*map(verdict, extents)).extent)
    assert min(extents) - 0.005 <= extent <= max(extents) + 0.005
    assert 0 <= extent <= 1


# Which judgements on one criterion count: of the judges of the panel, the newest, and of the backup in their place


ASKED = Question("the Moon", (ThreadTurn(Role.ASSISTANT, "The Moon.", generated=True),), ("the Moon",))
BEFORE = replace(ASKED, criteria=("the Moon", "the Sun"))
FIRST, OTHER, BACKUP = (PanelJudge(name, f"here:{name}", Approach.HOLISTIC) for name in ("one", "other", "backup"))
PANEL = Panel((FIRST, OTHER), FIVE_STEPS, BACKUP)
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


def test_the_id_of_a_judge_does_not_matter() -> None:
    found = present(counted(said(replace(FIRST, id="renamed"), 1.0), said(OTHER, 0.5)))
    assert [each.judge for each in found.consensus.judgements] == [FIRST, OTHER]


@every(
    "foreign",
    [
        said(replace(FIRST, model="here:foreign"), 1.0),
        said(replace(FIRST, approach=Approach.STANDARD), 1.0),
        said(FIRST, 1.0, scale=TEN_STEPS),
    ],
)
def test_a_verdict_of_another_judge_does_not_count_and_is_named(foreign: Judgement) -> None:
    assert counted(foreign) is None
    (other,) = KnownVerdicts(PANEL, Header(NOWHERE), {0: ASKED}, (foreign,)).others
    assert (other.model, other.criteria) == (foreign.judge.model, 1)


def test_a_verdict_that_was_not_given_as_backup_is_none_of_the_backup() -> None:
    assert counted(said(replace(BACKUP, id="judge"), 0.5)) is None
    assert extents(said(BACKUP, 0.5)) == [0.5]


def test_verdicts_from_before_an_edit_stay_where_all_are_asked_anew_in_vain() -> None:
    given = said(FIRST, 1.0, BEFORE), said(OTHER, 0.5, BEFORE), said(FIRST, None), said(OTHER, None)
    assert extents(*given, judges=replace(PANEL, backup=None)) == [1.0, 0.5, None, None]


def test_the_panel_of_a_run_is_the_one_that_its_judges_are_on() -> None:
    of_today = said(PanelJudge("x", "openrouter:google/gemini-2.5-flash", Approach.HOLISTIC), 1.0, scale=TEN_STEPS)
    assert panel_of([of_today], Header(NOWHERE)).as_weval
    assert panel_of([said(DOCUMENTED_JUDGES[0], 1.0)], Header(NOWHERE)).judges == DOCUMENTED_JUDGES
    alone = PanelJudge("gpt-x", "gpt-x", Approach.HOLISTIC, "http://127.0.0.1:9/v1")
    assert panel_of([said(alone, 1.0)], Header(NOWHERE)).judges == (alone,)


def known(recorded: Sequence[Judgement], stored: Sequence[Judgement]) -> KnownVerdicts:
    """What counts of one criterion where a case file and the store have verdicts on the same answer."""
    of = prompt([text(ASKED.criterion)])
    judges = Panel((FIRST,), FIVE_STEPS)
    return KnownVerdicts.on(of, Header(NOWHERE), Response("", ASKED.thread), judges, lambda *_: stored, recorded)


@every(
    ("recorded", "stored", "counts"),
    [
        ("", "", "stored"),
        ("", "2026-01-01", "stored"),
        ("2026-01-02", "2026-01-01", "recorded"),
        ("2026-01-01", "2026-01-02", "stored"),
    ],
)
def test_the_newest_verdict_counts_wherever_it_is_recorded(recorded: str, stored: str, counts: str) -> None:
    found = known([replace(said(FIRST, 1.0), given=recorded)], [replace(said(FIRST, 0.0), given=stored)])
    assert found.consensus[0].mean == (1.0 if counts == "recorded" else 0.0)
    assert {found.cached(key) for key in found.requests} == {found.consensus[0].judgements[0]}


def test_what_a_judge_would_be_asked_anew_is_not_cached() -> None:
    found = known([said(FIRST, 1.0, BEFORE)], [said(FIRST, None)])
    assert [found.cached(key) for key in found.requests] == [None]
    assert found.cached("another request") is None
