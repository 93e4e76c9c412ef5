"""The grading sheet: blinded, harmless in a spreadsheet, and readable as any spreadsheet program saves it."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Block, Role
from engine.blueprint.conversation import ThreadTurn
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import Store
from engine.store.grades import BlindGrade, blueprint_key
from engine.store.run_records import PairId
from engine.study.judged_pairs import (
    COLUMNS,
    INSTRUCTIONS,
    LONGEST_CELL,
    GradingRate,
    JudgedPair,
    UnreadableSheet,
    grading_queue,
    grading_rate,
    grading_sheet,
    neutral_cell,
    new_seed,
    pair_key,
    rate_lines,
    read_sheet,
    restored_cell,
    sample,
)
from tests.engine.judged import FILE, pairs_in, save_answer
from tests.expected import present
from tests.many_cases import every
from tests.pieces import pieces
from tests.thoroughness import tried

# The grading sheet: blinded, harmless in a spreadsheet, and readable as any spreadsheet program saves it


def pair(number: int = 1, criterion: str = "Names the day", answer: str = "On the 1st.") -> JudgedPair:
    thread = (
        ThreadTurn(Role.SYSTEM, "Be brief.", generated=False),
        ThreadTurn(Role.USER, "When is the rent due?", generated=False),
        ThreadTurn(Role.ASSISTANT, answer, generated=True),
    )
    id = PairId("rent", f"digest {number}", Criterion(Block.SHOULD, criterion))
    return JudgedPair(id, thread, "gpt-4o-mini", False, 0.25, (0.25,))


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def returned(pairs: Sequence[JudgedPair], rows: Sequence[Sequence[str]], delimiter: str = ",") -> str:
    """The sheet as a colleague sends it back, with these cells in the columns grade and note."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    *before, header = rows_of(grading_sheet(()))
    writer.writerows([*before, header])
    for each, cells in zip(pairs, rows, strict=True):
        writer.writerow([pair_key(each.id), "", "", each.criterion.text, *cells])
    return out.getvalue()


# What goes out


def test_a_sheet_has_instructions_and_a_row_for_each_pair() -> None:
    rows = rows_of(grading_sheet([pair()]))
    assert [row[0] for row in rows[: len(INSTRUCTIONS)]] == list(INSTRUCTIONS)
    assert rows[len(INSTRUCTIONS)] == list(COLUMNS)
    assert rows[len(INSTRUCTIONS) + 1 :] == [
        [
            pair_key(pair().id),
            "System: Be brief.\n\nUser: When is the rent due?",
            "On the 1st.",
            "Names the day",
            "",
            "",
        ]
    ]


def test_a_sheet_is_blinded() -> None:
    sheet = grading_sheet([pair()])
    hidden = ("strict-judge", "slightly present.", "0.25", "25", "The day is missing", "gpt-4o-mini")
    assert [each for each in hidden if each in sheet.partition("key,")[2]] == []


def test_an_answer_of_several_turns_shows_all_that_are_graded() -> None:
    thread = (*pair().thread, ThreadTurn(Role.USER, "Why?", False), ThreadTurn(Role.ASSISTANT, "By law.", True))
    several = JudgedPair(pair().id, thread, "m", False, 1.0, ())
    (*_, row) = rows_of(grading_sheet([several]))
    assert row[2] == "Assistant: On the 1st.\n\nUser: Why?\n\nAssistant: By law."


@every("text", pieces("cells like a formula"))
def test_a_cell_that_is_like_a_formula_is_neutralised(text: str) -> None:
    (*_, row) = rows_of(grading_sheet([pair(criterion=text, answer=text)]))
    assert [cell[0] for cell in row[2:4]] == ["'", "'"]


@given(st.text(st.sampled_from("='+-@\t\r\n a＝"), max_size=6))
def test_a_neutral_cell_is_restored(text: str) -> None:
    assert restored_cell(neutral_cell(text)) == text


@given(st.text(st.sampled_from("='+-@\t\r\n a＋"), max_size=6))
def test_no_neutral_cell_begins_like_a_formula(text: str) -> None:
    assert neutral_cell(text).lstrip()[:1] not in ("=", "+", "-", "@", "＋")


def test_control_characters_are_visible() -> None:
    assert "\x1b" not in grading_sheet([pair(answer="\x1b[2J")])


def test_a_cell_is_cut_to_what_a_spreadsheet_can_hold() -> None:
    cell = neutral_cell("=" * 50_000)
    assert len(cell) == LONGEST_CELL + 1
    assert cell.endswith("[cut here: the text is longer than a cell can be]")


# What comes back

ONE, TWO, THREE = pair(1), pair(2, "Names the lease"), pair(3, "=Is kind")
ALL = (ONE, TWO, THREE)
IDS = [each.id for each in ALL]


def test_rows_come_back_by_their_key_in_any_order() -> None:
    sheet = read_sheet(returned(ALL[::-1], [["1", ""], ["3", "half"], ["5", ""]]).encode(), IDS)
    assert sheet.grades == {
        ONE.id: BlindGrade(Grade.FULLY_PRESENT),
        TWO.id: BlindGrade(Grade.PARTIALLY_PRESENT, "half"),
        THREE.id: BlindGrade(Grade.ABSENT),
    }
    assert sheet.problems == ()


@every("delimiter", [",", ";", "\t"])
@every("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_it_is_read_as_a_spreadsheet_program_saves_it(delimiter: str, encoding: str) -> None:
    text = returned(ALL, [["4", "“né”"], ["", ""], ["2", ""]], delimiter)
    sheet = read_sheet(text.encode(encoding), IDS)
    assert sheet.grades[ONE.id] == BlindGrade(Grade.MAJORLY_PRESENT, "“né”")
    assert len(sheet.grades) == 3


@every("written", ["0", "6", "55", "3.5", "good", "present", "1/2"])
def test_what_is_no_grade_is_reported_with_its_row(written: str) -> None:
    sheet = read_sheet(returned([ONE, TWO], [["1", ""], [written, ""]]).encode(), IDS)
    assert list(sheet.grades) == [ONE.id]
    assert sheet.problems == (f"row 9: {written!r} is no grade: write a number from 1 to 5",)


def test_a_row_of_another_blueprint_is_reported() -> None:
    sheet = read_sheet(returned([ONE, TWO], [["1", ""], ["2", ""]]).encode(), [ONE.id])
    assert list(sheet.grades) == [ONE.id]
    assert "no answer of this blueprint's sample has the key" in sheet.problems[0]


def test_a_note_that_was_neutralised_comes_back_as_it_was() -> None:
    sheet = read_sheet(returned([ONE], [["1", "'=see"]]).encode(), IDS)
    assert sheet.grades[ONE.id].note == "=see"


def test_columns_may_be_moved_and_instructions_deleted() -> None:
    text = f"Grade,Key\r\n2,{pair_key(ONE.id)}\r\n,\r\n"
    assert read_sheet(text.encode(), IDS).grades == {ONE.id: BlindGrade(Grade.SLIGHTLY_PRESENT)}


@every("data", [b"", b"hello", b"a,b\r\n1,2\r\n", b"PK\x03\x04\x00\x00", b"key\r\nk1\r\n"])
def test_what_is_no_sheet_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableSheet, match="No row names the columns key and grade"):
        read_sheet(data, IDS)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    head = f"key,grade\r\n{pair_key(ONE.id)},3\r\n".encode()
    assert ONE.id in read_sheet(head + b'"\r\n' + data, IDS).grades


@settings(max_examples=tried(20, 200))
@given(st.text(max_size=30), st.text(max_size=30))
def test_whatever_the_texts_are_each_pair_is_one_row(criterion: str, answer: str) -> None:
    rows = rows_of(grading_sheet([pair(1, criterion, answer), pair(2, criterion, answer)]))
    assert [len(row) for row in rows[len(INSTRUCTIONS) :]] == [len(COLUMNS)] * 3


# Which pairs can be graded blind, which are drawn, and in which order they come


TEXT = """\
- id: rent
  prompt: When is the rent due?
  should:
    - Names the day
    - $contains: rent
    - Names the lease
  should_not:
    - Advises to withhold rent
"""
BLUEPRINT = parse(TEXT).blueprint
(RENT,) = BLUEPRINT.prompts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = Store(tmp_path / "studio.sqlite3")
    yield found
    found.close()


def found(store: Store, text: str = TEXT) -> dict[tuple[str, str], JudgedPair]:
    """The pairs by the answer's source and the criterion."""
    return {(pair.source, pair.criterion.text): pair for pair in pairs_in(store, parse(text).blueprint)}


def test_each_criterion_in_words_of_each_judged_answer_is_a_pair(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[1.0], [0.25], [0.0]], "own:a")
    save_answer(store, BLUEPRINT, RENT, "On the 3rd.", [[0.5], [0.0], [1.0]], "own:b")
    assert [(pair.source, pair.criterion.text, pair.extent) for pair in pairs_in(store, BLUEPRINT)] == [
        ("a", "Names the day", 1.0),
        ("a", "Names the lease", 0.25),
        ("a", "Advises to withhold rent", 0.0),
        ("b", "Names the day", 0.5),
        ("b", "Names the lease", 0.0),
        ("b", "Advises to withhold rent", 1.0),
    ]


def test_the_consensus_of_the_judges_decides_the_side(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "x", [[1.0, 0.0], [0.75, 0.0], [0.75, 0.5]])
    passed = {criterion: pair.is_passed for (_, criterion), pair in found(store).items()}
    assert passed == {"Names the day": True, "Names the lease": False, "Advises to withhold rent": False}


def test_an_answer_that_was_given_twice_is_one(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[1.0], [0.0], [0.0]])
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[0.0], [0.0], [0.0]])
    assert [pair.extent for pair in pairs_in(store, BLUEPRINT)] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Names the lease", "Names the contract"),
        ("When is the rent", "Why is the rent"),
        ("- id: rent", "description: Tenancy\n---\n- id: rent"),
    ],
    ids=["another criterion", "another question", "a description"],
)
def test_verdicts_that_are_carried_over_are_not_graded(store: Store, before: str, after: str) -> None:
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[1.0], [0.0], [0.0]])
    assert found(store, TEXT.replace(before, after)) == {}


def test_a_check_that_is_added_leaves_the_pairs(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[1.0], [0.0], [0.0]])
    assert len(found(store, TEXT.replace("- $contains: rent", "- $contains: rent\n    - $contains: day"))) == 3


# The sample


def many(store: Store, answers: int = 12) -> tuple[JudgedPair, ...]:
    for number in range(answers):
        save_answer(store, BLUEPRINT, RENT, f"Answer {number}.", [[1.0], [0.0], [0.0]])
    return pairs_in(store, BLUEPRINT)


def test_a_seed_draws_the_same_sample_whatever_the_order(store: Store) -> None:
    pairs = many(store)
    assert sample(pairs, 7, 5) == sample(pairs[::-1], 7, 5)
    assert sample(pairs, 7, 5) != sample(pairs, 8, 5)


def test_a_larger_sample_begins_with_the_smaller_one(store: Store) -> None:
    pairs = many(store)
    assert sample(pairs, 7, 20)[:5] == sample(pairs, 7, 5)


def test_the_drawn_keys_are_those_of_every_version(store: Store) -> None:
    """A sample must not change with Python or with the studio: colleagues compare by its seed."""
    drawn = [pair_key(pair.id) for pair in sample(many(store), 1, 3)]
    assert drawn == DRAWN


DRAWN = ["k3edf3aa4b093", "k5b32c6df16b3", "k5f7d704e13ac"]


def test_each_pair_is_drawn_about_as_often(store: Store) -> None:
    pairs = many(store, 4)
    drawn = Counter(pair.id for seed in range(600) for pair in sample(pairs, seed, 4))
    assert len(drawn) == 12
    assert min(drawn.values()) > 150
    assert max(drawn.values()) < 250


def test_seeds_differ() -> None:
    assert len({new_seed() for _ in range(20)}) > 15


# The queue


def test_the_sample_comes_first_then_judges_that_differ_then_the_borderline(store: Store) -> None:
    extents = [[[0.0, 1.0], [1.0, 1.0], [0.0]], [[0.5], [0.25], [0.4]], [[0.25, 0.75], [0.55], [1.0]]]
    for number, each in enumerate(extents):
        save_answer(store, BLUEPRINT, RENT, f"Answer {number}.", each, f"own:{number}")
    judged = {pair.id: pair for pair in pairs_in(store, BLUEPRINT)}
    first = found(store)["0", "Names the lease"]
    queue = grading_queue([first.id], judged, ())
    assert [(each.source, each.criterion.text) for each in queue] == [
        ("0", "Names the lease"),
        ("0", "Names the day"),
        ("2", "Names the day"),
        ("1", "Names the day"),
        ("2", "Names the lease"),
        ("1", "Advises to withhold rent"),
    ]


def test_what_is_graded_or_skipped_does_not_come_again(store: Store) -> None:
    pairs = many(store)
    judged = {pair.id: pair for pair in pairs}
    drawn = [pair.id for pair in sample(pairs, 3, 4)]
    queue = grading_queue(drawn, judged, {drawn[0], drawn[2]})
    assert [each.id for each in queue] == [drawn[1], drawn[3]]


# What is kept


def test_a_sample_and_its_grades_are_there_after_a_restart(tmp_path: Path) -> None:
    path, blueprint = tmp_path / "studio.sqlite3", blueprint_key(FILE)
    store = Store(path)
    drawn = [pair.id for pair in sample(many(store), 5, 3)]
    store.save_sample(blueprint, 5, 36, drawn)
    grades = {drawn[0]: BlindGrade(Grade.ABSENT), drawn[2]: BlindGrade(None, "cannot tell")}
    store.save_blind_grades(blueprint, "human", grades)
    store.close()
    again = Store(path)
    kept = present(again.sample(blueprint))
    assert (kept.seed, kept.judged, list(kept.pairs)) == (5, 36, drawn)
    assert again.blind_grades(blueprint) == {"human": grades}
    assert again.sampled_pairs(blueprint) == frozenset(drawn)


def test_a_new_sample_takes_the_place_of_the_old_one_and_keeps_its_grades(store: Store) -> None:
    pairs, blueprint = many(store), blueprint_key(FILE)
    first, second = sample(pairs, 1, 2), sample(pairs, 2, 2)
    store.save_sample(blueprint, 1, 36, [pair.id for pair in first])
    store.save_blind_grades(blueprint, "human", {first[0].id: BlindGrade(Grade.ABSENT)})
    store.save_sample(blueprint, 2, 36, [pair.id for pair in second])
    kept = present(store.sample(blueprint))
    assert kept.seed == 2
    assert list(store.blind_grades(blueprint)["human"]) == [first[0].id]
    assert store.sampled_pairs(blueprint) == {pair.id for pair in (*first, *second)}


def test_a_blueprint_without_a_sample_has_none(store: Store) -> None:
    assert store.sample("other.yml") is None
    assert store.blind_grades("other.yml") == {}


def test_a_failed_verdict_is_no_pair(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "x", [[], [0.5], [0.5]])
    assert ("secret-model", "Names the day") not in found(store)


def test_the_verdicts_of_all_judges_of_a_pair_are_there(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "x", [[0.75, 0.25], [0.5], [0.5]])
    assert found(store)["secret-model", "Names the day"].extents == (0.75, 0.25)


# The rate of agreement with a person: on which side of 0.5, over which pairs, and how sure


ABSENT, SLIGHTLY, PARTIALLY, MAJORLY, FULLY = Grade


def rated(answer: int, extent: float, *, inverted: bool = False, criterion: str = "Is kind") -> JudgedPair:
    block = Block.SHOULD_NOT if inverted else Block.SHOULD
    return JudgedPair(PairId("p", f"{answer}", Criterion(block, criterion)), (), "m", inverted, extent, ())


def rate(given_pairs: Sequence[tuple[JudgedPair, Grade | None]], waiting: Sequence[JudgedPair] = ()) -> GradingRate:
    """The rate over these pairs, each with the grade that a person gave (None: skipped), then those not reached."""
    pairs = [*(each for each, _ in given_pairs), *waiting]
    judged = {each.id: each for each in pairs}
    grades = {each.id: BlindGrade(grade) for each, grade in given_pairs}
    return grading_rate([each.id for each in pairs], judged, grades)


@every(
    ("extent", "grade", "inverted", "agrees"),
    [
        (1.0, MAJORLY, False, True),
        (0.5, FULLY, False, True),
        (0.49, FULLY, False, False),
        (0.0, SLIGHTLY, False, True),
        (0.5, SLIGHTLY, False, False),
        (1.0, MAJORLY, True, True),
        (0.5, ABSENT, True, True),
        (0.51, ABSENT, True, False),
        (0.75, PARTIALLY, True, False),
    ],
)
def test_they_agree_on_the_same_side_of_a_half(extent: float, grade: Grade, inverted: bool, agrees: bool) -> None:
    assert rate([(rated(1, extent, inverted=inverted), grade)]).agree == agrees


def test_a_false_pass_and_a_false_failure_are_told_apart() -> None:
    found = rate(
        [
            (rated(1, 1.0), ABSENT),
            (rated(2, 0.0), FULLY),
            (rated(3, 0.0, inverted=True), FULLY),
            (rated(4, 1.0), FULLY),
        ]
    )
    assert (found.false_passes, found.false_failures, found.agree) == (2, 1, 1)
    assert "2 false passes: the judges pass what you fail. 1 false failure: the judges fail what you pass." in (
        rate_lines(found)
    )


def test_always_met_agrees_with_what_the_person_passes() -> None:
    found = rate(
        [(rated(1, 0.0), FULLY), (rated(2, 0.0), ABSENT), (rated(3, 1.0, inverted=True), ABSENT), (rated(4, 0.0), None)]
    )
    assert (found.always_met, found.graded) == (2, 3)


def test_skips_are_counted_and_are_no_agreement() -> None:
    found = rate([(rated(1, 1.0), FULLY), (rated(2, 1.0), None), (rated(3, 1.0), FULLY)])
    assert (found.graded, found.skipped, found.agree, found.waiting) == (2, 1, 2, 0)


def test_only_the_beginning_of_the_sample_that_is_decided_counts() -> None:
    first, missing, later = rated(1, 1.0), rated(2, 1.0), rated(3, 1.0)
    judged = {each.id: each for each in (first, missing, later)}
    grades = {first.id: BlindGrade(FULLY), later.id: BlindGrade(ABSENT)}
    found = grading_rate([first.id, missing.id, later.id], judged, grades)
    assert (found.graded, found.agree, found.waiting) == (1, 1, 2)


def test_grades_outside_of_the_sample_do_not_count() -> None:
    drawn, other = rated(1, 1.0), rated(2, 1.0)
    grades = {drawn.id: BlindGrade(FULLY), other.id: BlindGrade(ABSENT)}
    found = grading_rate([drawn.id], {drawn.id: drawn, other.id: other}, grades)
    assert (found.graded, found.agree) == (1, 1)


def test_pairs_that_are_no_longer_judged_are_left_out_and_counted() -> None:
    gone, there = rated(1, 1.0), rated(2, 1.0)
    grades = {gone.id: BlindGrade(ABSENT), there.id: BlindGrade(FULLY)}
    found = grading_rate([gone.id, there.id], {there.id: there}, grades)
    assert (found.size, found.gone, found.graded, found.agree) == (2, 1, 1, 1)
    assert rate_lines(found)[-1] == (
        "1 pair of the sample is no longer judged as it was and does not count: a criterion, answer or verdict has "
        "changed."
    )


def test_a_rate_in_words() -> None:
    graded = [(rated(number, float(number % 4 > 0)), FULLY) for number in range(20)]
    assert rate_lines(rate([*graded, (rated(30, 1.0), None)], [rated(31, 1.0)])) == (
        "The judges agree with you on 15 of 20 pairs (75%), 1 skipped.",
        "The pairs are of 20 answers; verdicts on one answer are alike.",
        "A judge that calls every criterion met would agree on 20 (100%).",
        "0 false passes: the judges pass what you fail. 5 false failures: the judges fail what you pass.",
        "1 pair of the sample is still to be graded.",
    )


def test_nothing_graded_has_no_rate() -> None:
    assert rate_lines(rate([], [rated(1, 1.0)])) == ("No pair of the sample is graded yet.",)
