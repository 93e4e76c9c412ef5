"""Responses and grades outlive the program."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Block, Header, Message, Prompt, Role
from engine.blueprint.conversation import Stop, StopReason, Variant
from engine.evaluation.events import Response, ThreadTurn
from engine.evaluation.sources import AnswerSource, Candidate, IdealSource, ModelSource, WrittenSource
from engine.functions import point_text
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, PanelJudge
from engine.judging.verdict import NoVerdict, Reason, Verdict
from engine.models.chat import ChatRequest, Turn, Usage
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.sums import place
from engine.scoring.sums import place as placed_points
from engine.store import JudgeForm, PromptPlace, Store, WordingVerdict, WrittenWording, rubric_digest
from engine.store.run_records import rubric_text, stored_rubric
from engine.store.stored_answers import UNKNOWN, wordings_of
from engine.study.case import Case, Label
from engine.study.criterion_counts import freshness
from engine.text.record import replace, text_digest
from engine.text.spans import NOWHERE, Span
from tests.engine.builders import check, prompt, text
from tests.expected import present
from tests.many_cases import every
from tests.world import CORPUS, needs_corpus

# Responses and grades outlive the program


PLACE = PromptPlace("a.yml", "p1")
KIND = Criterion(Block.SHOULD, "Is kind")
TEXTS = st.text(st.characters(exclude_categories=()))
IN_MEMORY = Store(Path(":memory:"))
RUDE = Criterion(Block.SHOULD_NOT, "Is kind")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "studio.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(Store(path)) as opened:
        yield opened


def response(subject: str) -> Response:
    turn = ThreadTurn(Role.ASSISTANT, subject, generated=True, stop=Stop(StopReason.LENGTH, "max_tokens"))
    return Response(subject, (turn,), "m", 1.5, Usage(3, 4))


def forget_all_and_be_stopped(store: Store) -> None:
    with store.writing() as connection:
        connection.execute("DELETE FROM judgement")
        raise KeyboardInterrupt


def test_of_a_change_that_fails_half_way_nothing_is_kept(store: Store) -> None:
    store.grade(PLACE, "the answer", KIND, Grade.ABSENT)
    with pytest.raises(KeyboardInterrupt):
        forget_all_and_be_stopped(store)
    assert store.grades(PLACE, "the answer") == {KIND: Grade.ABSENT}


def test_the_latest_response_comes_back_whole_after_a_restart(store: Store, path: Path) -> None:
    store.save_response(PLACE, "openai:m", response("first"))
    store.save_response(PLACE, "openai:m", response("second"))
    store.close()
    again = Store(path)
    assert again.latest_response(PLACE, "openai:m") == response("second")
    assert again.latest_response(PLACE, "ideal") is None


def test_grades_are_found_again_after_a_restart(store: Store, path: Path) -> None:
    store.grade(PLACE, "the answer", KIND, Grade.MAJORLY_PRESENT)
    store.close()
    assert Store(path).grades(PLACE, "the answer") == {KIND: Grade.MAJORLY_PRESENT}


def test_a_later_grade_replaces_the_earlier_and_none_takes_it_back(store: Store) -> None:
    """It is of one answer, and the same words in the other block are another criterion."""
    store.grade(PLACE, "x", RUDE, Grade.FULLY_PRESENT)
    store.grade(PLACE, "x", KIND, Grade.FULLY_PRESENT)
    store.grade(PLACE, "x", KIND, Grade.ABSENT)
    assert store.grades(PLACE, "x") == {KIND: Grade.ABSENT, RUDE: Grade.FULLY_PRESENT}
    assert store.grades(PLACE, "another answer") == {}
    store.grade(PLACE, "x", KIND, None)
    assert store.grades(PLACE, "x") == {RUDE: Grade.FULLY_PRESENT}


@given(TEXTS)
def test_every_response_comes_back_as_it_was(text: str) -> None:
    IN_MEMORY.save_response(PLACE, "ideal", response(text))
    assert IN_MEMORY.latest_response(PLACE, "ideal") == response(text)


@given(TEXTS, TEXTS)
def test_every_grade_comes_back_for_its_criterion(answer: str, criterion: str) -> None:
    graded = Criterion(Block.SHOULD, criterion)
    IN_MEMORY.grade(PLACE, answer, graded, Grade.ABSENT)
    assert IN_MEMORY.grades(PLACE, answer)[graded] is Grade.ABSENT


def test_a_prompt_without_an_id_keeps_its_place_when_its_rubric_changes() -> None:
    said = (Message(Span(0, 1), Role.USER, "hello"),)
    one = Prompt(0, Span(0, 9), "hash-1", Span(0, 0), id_written=False, messages=said)
    two = Prompt(0, Span(0, 99), "hash-2", Span(0, 0), id_written=False, messages=said)
    assert PromptPlace.of(Path("a.yml"), one) == PromptPlace.of(Path("a.yml"), two)


# What judges said

REQUEST = ChatRequest("m", (Turn(Role.USER, "Is it kind?"),))
SAID = Judgement(
    PanelJudge("one", "here:m", Approach.STANDARD),
    "Is kind",
    (Attempt(REQUEST, "CLASS_ABSENT \ud800", Verdict(0.0, None, "No.")),),
    "this machine",
    key="k",
)


def test_what_a_judge_said_is_found_again_word_for_word_after_a_restart(store: Store, path: Path) -> None:
    store.save_judgement(SAID)
    store.close()
    again = Store(path)
    assert (again.judgement(SAID.key), again.judgement("another")) == (SAID, None)


def test_the_newest_judgement_of_a_key_is_found(store: Store) -> None:
    later = replace(SAID, attempts=(Attempt(REQUEST, "CLASS_ABSENT", Verdict(1.0, None, "Yes.")),))
    store.save_judgement(SAID)
    store.save_judgement(later)
    assert store.judgement("k") == later


def test_a_judge_that_has_not_judged_is_asked_anew(store: Store) -> None:
    silent = replace(SAID, attempts=(Attempt(REQUEST, "", NoVerdict(Reason.EMPTY, "answered nothing")),))
    store.save_judgement(silent)
    assert store.judgement(silent.key) is None
    store.save_judgement(SAID)
    store.save_judgement(silent)
    assert store.judgement(silent.key) == SAID


def test_a_judgement_of_another_version_is_asked_anew(store: Store, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO judge_reply VALUES (1, 'k', '{\"later\": 1}', '')")
    assert store.judgement("k") is None


# What services answered is found again while it is fresh


LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def test_an_answer_is_found_again_after_a_restart(store: Store, path: Path) -> None:
    store.save_service_answer("k", "a\ud800\0b")
    store.close()
    again = Store(path)
    assert (again.service_answer("k", LONG_AGO), again.service_answer("other", LONG_AGO)) == ("a\ud800\0b", None)
    assert again.service_answer("k", datetime.now(UTC) + timedelta(seconds=1)) is None
    hour_ago = datetime.now(timezone(timedelta(hours=-11))) - timedelta(hours=1)
    assert again.service_answer("k", hour_ago) == "a\ud800\0b", "times of any zone are moments"


def test_a_later_answer_takes_the_place_of_the_earlier(store: Store) -> None:
    store.save_service_answer("k", "first")
    store.save_service_answer("k", "second")
    assert store.service_answer("k", LONG_AGO) == "second"


# The rubric of a run is saved with it, and read back as it was


CRITERION = st.text(min_size=1, max_size=12).filter(str.strip)
WEIGHT = st.sampled_from([0.1, 0.5, 1.0, 2.5, 10.0])
POINT = st.builds(text, CRITERION, WEIGHT) | st.builds(
    check, st.sampled_from(["icontains", "js", "nonsense", "not_matches"]),
    st.text(max_size=8) | st.lists(st.text(max_size=3), max_size=2) | st.integers(0, 9) | st.none(), WEIGHT,
)  # fmt: skip
BLOCK = st.lists(POINT | st.lists(POINT, min_size=1, max_size=3), max_size=4)


def seen(of: Prompt) -> object:
    """All that a score depends on."""
    points = [
        (each.rubric.block, each.path_id, point_text(each.point), each.point.multiplier, each.point.function is None)
        for each in place(of)
    ]
    return of.id, points, of.ideal, [(each.role, each.content) for each in of.messages]


@given(BLOCK, BLOCK, st.none() | CRITERION)
def test_a_rubric_is_read_back_as_it_was(should: list[object], should_not: list[object], ideal: str | None) -> None:
    of = prompt(should, should_not, messages=(Message(NOWHERE, Role.USER, "Why?"),), ideal=ideal)  # pyright: ignore[reportArgumentType]
    read = present(stored_rubric(rubric_text(None, of)))
    assert seen(read[1]) == seen(of)
    assert rubric_digest(read[1]) == rubric_digest(of)


def test_what_judges_see_of_the_header_is_read_back_and_nothing_else_is_saved() -> None:
    fields = {"description": "Be strict.", "models": [{"id": "custom:x", "headers": {"key": "secret"}}]}
    written = rubric_text(Header(NOWHERE, fields=fields), prompt([text("A")]))
    assert "secret" not in written
    read = present(stored_rubric(written))
    assert read[0].description == "Be strict."


def test_a_prompt_that_an_error_cuts_off_has_no_rubric_to_save() -> None:
    assert rubric_text(None, prompt([text("A")], is_cut_off=True)) == ""


def test_a_run_gives_its_rubric_back_and_the_same_one_is_saved_once(store: Store) -> None:
    where, ideal = PromptPlace("a.yml", "p"), Candidate(IdealSource(), Variant())
    content = rubric_text(None, prompt([text("A")]))
    numbers = [store.begin_run(where, ideal, "digest", content) for _ in range(2)]
    unknown = store.begin_run(where, ideal, "digest")
    assert [store.past_rubric(each) for each in (*numbers, unknown)] == [content, content, ""]
    with store.reading() as connection:
        assert connection.execute("SELECT count(*) FROM rubric").fetchone() == (1,)
    store.close()


@needs_corpus
def test_rubrics_of_published_blueprints_are_read_back() -> None:
    for path in sorted(CORPUS.rglob("*.yml"))[::12]:
        blueprint = parse(path.read_text("utf-8"), path).blueprint
        for each in blueprint.prompts[:10]:
            read = present(stored_rubric(rubric_text(blueprint.header, each)))
            assert rubric_digest(read[1]) == rubric_digest(each)


# Wordings of a criterion in the database, the verdicts under each, and which answers are fresh to a wording


PARSED = parse("- id: a\n  prompt: When?\n  should:\n    - Names the day\n    - Is kind\n").blueprint
PROMPT = PARSED.prompts[0]
PROMPT_PLACE = PromptPlace("a.yml", "a")
OLD, NEW = "2026-01-01T00:00:00.000+00:00", "2026-02-01T00:00:00.000+00:00"
DAY, IS_KIND = placed_points(PROMPT)


def answered(store: Store, text: str, source: AnswerSource) -> None:
    number = store.begin_run(PROMPT_PLACE, Candidate(source, Variant()), "", "")
    store.save_run_answer(number, PROMPT_PLACE, Candidate(source), Response(text, ()))


def test_an_answer_of_a_model_has_the_time_of_its_first_showing(store: Store) -> None:
    answered(store, "On Monday.", ModelSource("openai:m"))
    store.mark_shown([(PROMPT_PLACE, "On Monday.", True)])
    first = dict(store.first_shown(PROMPT_PLACE))
    store.mark_shown([(PROMPT_PLACE, "On Monday.", True)])
    assert first == store.first_shown(PROMPT_PLACE)
    assert first[text_digest("On Monday.")] > NEW


@pytest.mark.parametrize("text", ["Written by hand.", "In a file."])
def test_of_an_answer_from_elsewhere_it_is_unknown_who_saw_it(store: Store, text: str) -> None:
    answered(store, "Written by hand.", WrittenSource("Written by hand."))
    store.mark_shown([(PROMPT_PLACE, text, True)])
    assert store.first_shown(PROMPT_PLACE) == {text_digest(text): UNKNOWN}


def test_a_wording_has_the_time_of_its_first_use_until_it_is_taken_back(store: Store) -> None:
    store.note_wordings(PROMPT_PLACE, wordings_of(PROMPT))
    first = dict(store.wordings_since(PROMPT_PLACE))
    store.note_wordings(PROMPT_PLACE, wordings_of(PROMPT))
    assert store.wordings_since(PROMPT_PLACE) == first
    with store.writing() as connection:
        connection.execute("UPDATE point_wording SET since = ?", (OLD,))
    store.renew_wording(PROMPT_PLACE, Block.SHOULD, "Names the day")
    since = store.wordings_since(PROMPT_PLACE)
    assert since[Block.SHOULD, "Names the day"] > NEW
    assert since[Block.SHOULD, "Is kind"] == OLD


CASE = Case(1, NOWHERE, "a", NOWHERE, ("On Monday.",), Label.GOOD, model="openai:m")
SHOWN = text_digest("On Monday.")


@every(
    ("shown", "since", "is_fresh"),
    [
        ({SHOWN: NEW}, {"Names the day": OLD, "Is kind": OLD}, True),
        ({SHOWN: OLD}, {"Names the day": NEW, "Is kind": OLD}, False),
        ({SHOWN: NEW}, {"Names the day": OLD}, False),
        ({SHOWN: UNKNOWN}, {"Names the day": OLD, "Is kind": OLD}, False),
        ({}, {"Names the day": OLD, "Is kind": OLD}, False),
    ],
)
def test_an_answer_is_fresh_if_all_points_had_their_wording_before_it_was_shown(
    shown: dict[str, str], since: dict[str, str], is_fresh: bool
) -> None:
    known = {(Block.SHOULD, name): time for name, time in since.items()}
    assert freshness(PROMPT, PARSED.header, shown, known)(CASE, [DAY, IS_KIND]) is is_fresh


# Wordings and the verdicts under each

FIRST = WrittenWording("Names the lease", "Names the lease", "Names the lease", 6)
SECOND = WrittenWording("Names the contract", "Names the contract", "Names the contract", 6)

FIVE, TEN = JudgeForm("five steps", "x"), JudgeForm("ten steps", "y")


def test_a_lineage_has_its_wordings_in_the_order_of_their_first_use(store: Store) -> None:
    number = store.begin_lineage(PROMPT_PLACE, Block.SHOULD)
    for wording in (FIRST, SECOND, FIRST):
        store.use_wording(number, wording)
    store.begin_lineage(PROMPT_PLACE, Block.SHOULD)  # one without a wording is none
    (lineage,) = store.lineages(PROMPT_PLACE)
    assert store.lineages(PromptPlace("a.yml", "b")) == ()
    assert [each.written for each in lineage.wordings] == [FIRST, SECOND]
    assert lineage.last_used.written == FIRST


def test_a_verdict_replaces_the_same_judge_s_under_the_same_wording_alone(store: Store) -> None:
    number = store.begin_lineage(PROMPT_PLACE, Block.SHOULD_NOT)
    first, second = store.use_wording(number, FIRST), store.use_wording(number, SECOND)
    old, new = WordingVerdict("a(x:a)", 0.0), WordingVerdict("a(x:a)", 1.0, "Yes.", "c")
    other = WordingVerdict("b", 0.5)
    for wording, verdict in ((first, old), (second, old), (first, other), (first, new)):
        store.save_wording_verdict(wording.number, "answer", verdict)
    (lineage,) = store.lineages(PROMPT_PLACE)
    assert [set(each.verdicts["answer"]) for each in lineage.wordings] == [{new, other}, {old}]


def test_a_judge_has_a_verdict_for_each_way_in_which_it_was_asked(store: Store) -> None:
    wording = store.use_wording(store.begin_lineage(PROMPT_PLACE, Block.SHOULD), FIRST)
    five, ten = WordingVerdict("a", 0.5, form=FIVE), WordingVerdict("a", 0.625, form=TEN)
    for verdict in (WordingVerdict("a", 0.5, form=FIVE), ten, five):
        store.save_wording_verdict(wording.number, "answer", verdict)
    assert store.lineages(PROMPT_PLACE)[0].wordings[0].verdicts == {"answer": (ten, five)}


def test_a_verdict_replaces_the_judge_s_of_which_that_was_not_recorded(store: Store) -> None:
    wording = store.use_wording(store.begin_lineage(PROMPT_PLACE, Block.SHOULD), FIRST)
    new = WordingVerdict("a", 0.5, form=FIVE)
    for verdict in (WordingVerdict("a", 0.0), new):
        store.save_wording_verdict(wording.number, "answer", verdict)
    assert store.lineages(PROMPT_PLACE)[0].wordings[0].verdicts == {"answer": (new,)}


def test_odd_characters_of_a_wording_survive(store: Store) -> None:
    odd = WrittenWording("lone \ud83d", "'lone \ud83d'", "\ufdd0", 0, is_check=True)
    store.use_wording(store.begin_lineage(PROMPT_PLACE, Block.SHOULD), odd)
    assert store.lineages(PROMPT_PLACE)[0].wordings[0].written == odd


def test_the_choice_of_answers_is_kept_by_prompt(store: Store) -> None:
    store.choose_answers(PROMPT_PLACE, {"one": True, "other": False})
    store.choose_answers(PROMPT_PLACE, {"other": True})
    assert store.chosen_answers(PROMPT_PLACE) == {"one": True, "other": True}
