"""The headline of a score: bounds first while criteria are open, and what else must be known."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from engine.blueprint import Prompt, Role, unique_keys
from engine.blueprint.conversation import Stop, StopReason, conversation, with_turn_edited
from engine.evaluation.events import Response, Scored, ThreadTurn, answer_json, answer_marks, answer_notes
from engine.evaluation.headline import _REMARKS, Headline, Remark, headline, overall
from engine.evaluation.point_assessment import assess
from engine.evaluation.result_json import Entry, dumps, result_json
from engine.evaluation.sources import Candidate, IdealSource, ModelSource, candidates
from engine.evaluation.verdicts import consensus_assessment, is_open
from engine.functions.v8 import JavaScript
from engine.judging.judgement import Consensus
from engine.judging.verdict import NOT_ASKED, NoVerdict, Reading, Reason, Verdict, WevalReading
from engine.parsing import Parsed, parse, weval_config
from engine.rules.source.path_lists import block_notes
from engine.scoring.assessment import AssessedBy, Assessment, Bounds
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import aggregate, place
from engine.study.case import outcome_of
from engine.study.case_reader import read_cases
from engine.study.two_runs import Edit, word_difference, words_summary
from engine.text.record import replace
from tests.engine.builders import prompt, text
from tests.engine.short_cases import assert_lines_say, assert_says
from tests.engine.test_judging_panel import judgement, verdict
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in, tried
from tests.world import CORPUS, needs_corpus

# The headline of a score: bounds first while criteria are open, and what else must be known


CUT_TURN = ThreadTurn(Role.ASSISTANT, "Yes, bec", generated=True, stop=Stop(StopReason.LENGTH))
CUT = Response("Yes, bec", (CUT_TURN,))
FOUR = "[one, two, three, four]"


def worded(should: str) -> Prompt:
    return parse(f"- id: p\n  prompt: Hello?\n  should: {should}\n").blueprint.prompts[0]


def judged(should: str, *extents: float | None, response: Response | None = None) -> Headline:
    one = worded(should)
    assessments = [
        Assessment(placed, extent, None if extent is None else AssessedBy.JUDGE)
        for placed, extent in zip(place(one), extents, strict=True)
    ]
    return headline(explain(one, assessments), response)


def told_of_an_end(line: str) -> Iterator[str]:
    """What is said of an answer of turns that ended so, each WHY or WHY (WORD), and which was perhaps `stopped`."""
    said, ends, *stopped = line.split(" | ")
    turns = tuple(ThreadTurn(Role.ASSISTANT, said, generated=True, stop=stop_of(each)) for each in ends.split("; "))
    response = Response("\n\n".join(turn.content for turn in turns), turns, complete=not stopped)
    found = judged("[one]", 0.5, response=response)
    yield f"{found.marked_whole_figure}: {found}"
    yield from answer_marks(response)
    yield from answer_notes(response)
    yield json.dumps(answer_json(response))


def stop_of(words: str) -> Stop | None:
    why, _, word = words.partition(" (")
    return None if why == "unknown" else Stop(StopReason(why), word.removesuffix(")"))


def test_what_is_said_of_the_end_of_an_answer_is_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_lines_say(Path(__file__).parent / "line_cases" / "ends-of-answers.txt", told_of_an_end, pytestconfig)


@every("remark", list(Remark))
def test_every_remark_has_words_for_one_and_for_several(remark: Remark) -> None:
    one = Headline(Bounds(1.0, 1.0), None, None, ((remark, 1),))
    several = Headline(Bounds(1.0, 1.0), None, None, ((remark, 12),))
    expected = _REMARKS[remark][0].format(judges="a judge")
    assert (one.details, "12" in several.details, "{" in several.details) == (expected, True, False)


def test_several_prompts_come_to_the_mean_of_what_is_stored_by_weight() -> None:
    total = overall([(1, judged("[one]", 0.5)), (3, judged("[one]", 1.0))])
    assert total is not None
    assert total.figure == "87.5"


def test_an_open_prompt_opens_the_whole() -> None:
    total = overall([(1, judged("[one]", 1.0)), (1, judged("[one, two]", None, None))])
    assert str(total) == "50–100, 1 of 3 criteria judged"


def test_a_prompt_without_points_takes_no_part_in_the_whole() -> None:
    assert str(overall([(1, judged("[one]", 0.5)), (1, judged("[]"))])) == "50.0"


def test_nothing_scored_has_no_headline() -> None:
    assert overall([]) is None


def test_remarks_add_up() -> None:
    total = overall([(1, judged("[one]", 1.0, response=CUT)), (1, judged("[two]", 1.0, response=CUT))])
    assert str(total) == "100.0, 2 answers cut off at the token limit"


def _ends(text: str) -> list[float]:
    figure = text.split(",")[0]
    return [0.0, 100.0] if figure == "not judged yet" else [float(end) for end in figure.split("–")]


@every("seed", range(tried(60, 200)))
def test_whatever_is_judged_next_lies_within_the_headline(seed: int) -> None:
    """The law: a headline is never surer than what can still come out of it, on paths and in both blocks."""
    rng = random.Random(seed)
    should = rng.choice(
        [FOUR, "[one, [two], [three, four]]", "[[one, two], [three], [four]]", "[[one], two, three, four]"]
    )
    given = [rng.choice([None, None, 0.0, 0.25, 0.5, 0.75, 1.0]) for _ in range(4)]
    later = [rng.choice([0.0, 0.25, 0.5, 0.75, 1.0]) if each is None else each for each in given]
    before, after = judged(should, *given), judged(should, *later)
    low, *high = _ends(before.figure)
    assert low <= float(after.figure) <= (high or [low])[0]
    assert before.whole_bounds[0] <= after.whole_bounds[0] <= before.whole_bounds[1]


def test_a_turn_that_the_author_edited_is_no_longer_cut() -> None:
    edited = Response("Hi there.", with_turn_edited(CUT.thread, 0, "Hi there."))
    assert edited.cut == ""


# The difference of two answers by words


TEXT = st.text(alphabet="ab .\nä'", max_size=40)


@given(TEXT, TEXT)
def test_both_answers_can_be_read_from_their_difference(old: str, new: str) -> None:
    edits = word_difference(old, new)
    assert "".join(each.text for each in edits if each.edit is not Edit.ADDED) == old
    assert "".join(each.text for each in edits if each.edit is not Edit.REMOVED) == new


def test_changed_words_are_counted() -> None:
    edits = word_difference("within 14 days", "within 30 working days")
    assert words_summary(edits) == "1 word removed, 2 added"


def test_very_long_answers_that_repeat_themselves_take_no_long_time() -> None:
    old = "a b\n" * 20_000
    with costs_less_than(2):
        assert words_summary(word_difference(old + "x", old + "y")) == "1 word removed, 1 added"


# What is said of a block of paths at its first line is true of its score


def notes(rubric: str) -> dict[str, str]:
    """The notes by the line of their block."""
    text = f"- id: p\n  prompt: Which?\n{rubric}"
    return {text.splitlines()[at].strip(): note for at, note in block_notes(parse(text))}


PAIR = "  should:\n    - - a\n    - - b\n      - c\n"


@every("rubric", [PAIR, PAIR + "    - d\n", PAIR + "    - {text: d, weight: 5}\n    - e\n"])
@every("block", ["should", "should_not"])
def test_the_share_is_that_of_the_arithmetic(rubric: str, block: str) -> None:
    """One path that counts in full, and nothing else, scores what the note says."""
    [prompt] = parse(f"- id: p\n  prompt: q\n{rubric.replace('should', block)}").blueprint.prompts
    placed = place(prompt)
    first = next(each.path_id for each in placed if each.path_id is not None)
    score = aggregate([Assessment(each, float(each.path_id == first)) for each in placed])
    [note] = notes(rubric.replace("should", block)).values()
    assert ("all" in note, "half" in note) == (score == 1, score == 0.5)


def test_an_alias_says_it_where_its_lines_are() -> None:
    text = "- id: p\n  prompt: a\n  should: &s\n    - - a\n    - - b\n- id: q\n  prompt: b\n  should: *s\n"
    assert [text.splitlines()[at] for at, _ in block_notes(parse(text))] == ["    - - a"]


# Results as Weval's own viewer reads them (platform.md, "A result file that Weval's viewer reads")


SCHEMA = json.loads((Path(__file__).parents[1] / "schemas" / "weval-result.schema.json").read_text("utf-8"))
MODEL = ModelSource("openai:m")
PROMPTS = "---\n- {id: p, prompt: Hi?, ideal: Yes, should: [$contains: Yes, Is kind]}\n- {id: q, prompt: Why?}\n"


def exported(parsed: Parsed, javascript: JavaScript, by: tuple[Candidate, ...] | None = None) -> Any:
    """What is exported of the first two prompts with all variants of a model, or with the candidates `by`."""
    prompts, header = parsed.blueprint.prompts[:2], parsed.blueprint.header
    entries: list[Entry] = []
    for each, name in zip(prompts, unique_keys(prompts).values(), strict=True):
        for candidate in by or candidates(MODEL, header):
            thread = conversation(each, header, candidate.variant).answered(["Yes."])
            assessments = tuple(assess(each, "Yes.", javascript, thread=thread))
            scored = Scored(Response("Yes.", thread), assessments, explain(each, assessments))
            entries.append(Entry(each, name, candidate.key, scored, candidate.variant.suffix))
    when = datetime(2026, 3, 1, 9, 8, 7, 6_000, UTC)
    result = result_json(parsed.blueprint, weval_config(parsed), entries, path=parsed.path or Path("x.yml"), when=when)
    return json.loads(dumps(result))


def of(header: str, javascript: JavaScript, by: tuple[Candidate, ...] | None = None) -> Any:
    result = exported(parse(header + PROMPTS), javascript, by)
    Draft202012Validator(SCHEMA).validate(result)
    return result


@needs_corpus
@every("path", one_in(6, sorted(CORPUS.rglob("*.yml"))), ids=str)
def test_every_blueprint_of_the_corpus_is_exported_as_the_viewer_reads_it(path: Path, javascript: JavaScript) -> None:
    parsed = parse(path.read_text("utf-8-sig"), path)
    if not parsed.weval.ok:
        return  # Weval runs no such file, so there is no result of one
    result = exported(parsed, javascript)
    Draft202012Validator(SCHEMA).validate(result)
    several = result["config"].get("systems") or []
    prompts = {result["modelSystemPrompts"][key] for key in result["effectiveModels"]}
    assert len(several) < 2 or prompts == set(several)


def test_a_header_is_exported_as_its_file_says(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    def told(mark: str, header: str) -> Iterator[str]:
        text = header if "---" in header else f"{header}{PROMPTS}"
        result = exported(parse(text), javascript, (Candidate(IdealSource()),) if mark == "ideal" else None)
        Draft202012Validator(SCHEMA).validate(result)
        assert not any("judgeAgreement" in str(each) for each in result["evaluationResults"].values())
        shown = {name: result[name] for name in ("configTitle", "runLabel", "timestamp", "modelSystemPrompts")}
        config = {name: result["config"].get(name, "none") for name in ("models", "system", "systems")}
        yield json.dumps(shown)
        yield json.dumps(config)

    assert_says(Path(__file__).with_name("viewer_cases.txt"), told, pytestconfig)


# A judge asked in vain and a judge still to be asked: what either leaves of the score, and how that is said


FAILED = NoVerdict(Reason.FAILED, "gave no verdict")
DECLINED = NoVerdict(Reason.DECLINED, "declined to judge")
ONE = prompt([text("one")])


def agreed(*readings: Reading, stands_in: Reading | None = None) -> Consensus:
    """The readings of judges a, b, c …, then that of the backup, if it was asked."""
    given = [judgement(name, reading) for name, reading in zip("abcdef", readings, strict=False)]
    backup = [] if stands_in is None else [replace(judgement("z", stands_in), stands_in=True)]
    return Consensus((*given, *backup))


def agreed_on(rubric: Prompt, *points: Consensus | None) -> Explanation:
    """The explanation with these judgements; None for a point that nobody was asked about."""
    assessments = [
        Assessment(placed) if point is None else consensus_assessment(placed, point)
        for placed, point in zip(place(rubric), points, strict=True)
    ]
    return explain(rubric, assessments)


@every(
    ("readings", "score", "bounds", "said"),
    [
        ((verdict(0), verdict(1)), 0.5, (0.5, 0.5), "50.0"),
        ((verdict(0), verdict(1), FAILED), 0.5, (0.33, 0.67), "50.0, between 33 and 67, c failed on 1 criterion"),
        ((verdict(0), DECLINED, FAILED), 0.0, (0.0, 0.67), "0.0, between 0 and 67, b and c failed on 1 criterion"),
        ((FAILED, DECLINED), None, (0.0, 1.0), "not judged yet, no judge could judge 1 criterion"),
        ((verdict(0), verdict(1), NOT_ASKED), None, (0.33, 0.67), "33–67, 0 of 1 criterion judged"),
        ((verdict(0), FAILED, NOT_ASKED), None, (0.0, 0.67), "0–67, 0 of 1 criterion judged"),
        ((FAILED, NOT_ASKED), None, (0.0, 1.0), "not judged yet"),
        ((NOT_ASKED,), None, (0.0, 1.0), "not judged yet"),
    ],
)
def test_a_missing_verdict_is_anything_from_0_to_1(
    readings: Sequence[Reading], score: float | None, bounds: tuple[float, float], said: str
) -> None:
    explanation = agreed_on(ONE, agreed(*readings))
    assert (explanation.score, (explanation.bounds.low, explanation.bounds.high)) == (score, pytest.approx(bounds))
    assert str(headline(explanation)) == said


def test_failed_is_not_open() -> None:
    (failed,) = agreed_on(ONE, agreed(FAILED, DECLINED)).assessments
    (waits,) = agreed_on(ONE, agreed(verdict(1), NOT_ASKED)).assessments
    (partly,) = agreed_on(ONE, agreed(verdict(1), FAILED)).assessments
    assert [(each.failed, each.open, each.assessed) for each in (failed, waits, partly)] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    assert all(is_open(each) for each in (failed, waits, partly)), "judges are asked about all of them"
    assert [each.error for each in (failed, waits, partly)] == [
        "a gave no verdict; b declined to judge",
        None,
        "b gave no verdict",
    ]


def test_the_backup_makes_up_for_judges_that_failed() -> None:
    explanation = agreed_on(ONE, agreed(FAILED, DECLINED, stands_in=verdict(1)))
    assert str(headline(explanation)) == "100.0"
    assert "a gave no verdict" in explanation.assessments[0].detail
    assert str(headline(agreed_on(ONE, agreed(FAILED, stands_in=DECLINED)))).startswith(
        "not judged yet, no judge could"
    )


def test_what_weval_stores_is_known_once_nothing_is_open() -> None:
    two = prompt([text("one"), text("two")])
    assert agreed_on(two, agreed(verdict(0.5)), None).weval.stored is None
    assert agreed_on(two, agreed(verdict(0.5)), agreed(verdict(1), NOT_ASKED)).weval.stored is None
    assert agreed_on(two, agreed(verdict(0), verdict(1), FAILED), agreed(FAILED)).weval.stored == 0.5


def test_the_judge_that_failed_is_named_in_notes_and_detail() -> None:
    explanation = agreed_on(ONE, agreed(verdict(0), verdict(1), FAILED))
    assert explanation.notes == (
        "c failed: 1 criterion counts by the mean of the other judges.",
        "With the missing verdicts, the score would be between 33 and 67.",
    )
    assert "c gave no verdict" in explanation.assessments[0].detail


def test_a_blueprint_is_as_sure_as_its_prompts() -> None:
    whole = headline(agreed_on(ONE, agreed(verdict(1))))
    partly = headline(agreed_on(ONE, agreed(verdict(0), verdict(1), FAILED)))
    failed = headline(agreed_on(ONE, agreed(FAILED)))
    waits = headline(agreed_on(ONE, agreed(verdict(0), verdict(1), NOT_ASKED)))

    def told(*prompts: Headline) -> str:
        return str(overall((1, each) for each in prompts))

    assert told(whole, partly) == "75.0, between 66.5 and 83.5, c failed on 1 criterion"
    assert told(whole, failed) == "100.0, between 50 and 100, no judge could judge 1 criterion"
    assert told(whole, waits) == "66.5–83.5, 1 of 2 criteria judged"
    assert told(failed, failed) == "not judged yet, no judge could judge 2 criteria"


# Laws

READINGS = st.lists(
    st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.none(), st.just("pending")), min_size=1, max_size=4
)
WEIGHTS = st.floats(0.1, 10).map(lambda weight: round(weight, 1))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Prompt, list[list[float | str | None]]]:
    """A rubric with required criteria, paths and inverted points, and the readings of its judges."""
    should = [
        text("a", weight=draw(WEIGHTS)),
        text("b"),
        [text("c"), text("d", weight=draw(WEIGHTS))],
        [text("e")],
    ]
    of = prompt(should[: draw(st.integers(1, 4))], [text("f", weight=draw(WEIGHTS))] if draw(st.booleans()) else [])
    return of, [draw(READINGS) for _ in of.points()]


def reading(value: float | str | None) -> Reading:
    return FAILED if value is None else NOT_ASKED if isinstance(value, str) else Verdict(value, None, "")


def score_with(of: Prompt, given: Sequence[Sequence[float | str | None]], extents: Sequence[float]) -> float:
    """The score if the missing verdicts were these, in turn."""
    missing = iter(extents)
    filled = [[each if isinstance(each, float) else next(missing) for each in readings] for readings in given]
    explanation = agreed_on(of, *(agreed(*map(reading, each)) for each in filled))
    assert explanation.bounds.closed
    return explanation.bounds.low


@given(cases(), st.data())
def test_the_bounds_hold_every_way_the_missing_judges_could_have_answered_and_both_are_reached(
    case: tuple[Prompt, list[list[float | str | None]]], data: st.DataObject
) -> None:
    of, given = case
    explanation = agreed_on(of, *(agreed(*map(reading, each)) for each in given))
    missing = sum(not isinstance(each, float) for readings in given for each in readings)
    low, high = explanation.bounds.low, explanation.bounds.high
    extents = data.draw(st.lists(st.floats(0, 1), min_size=missing, max_size=missing))
    assert low - 1e-9 <= score_with(of, given, extents) <= high + 1e-9
    inverted = [
        placed.inverted
        for placed, readings in zip(place(of), given, strict=True)
        for each in readings
        if not isinstance(each, float)
    ]
    assert score_with(of, given, [float(each) for each in inverted]) == pytest.approx(low, abs=1e-9)
    assert score_with(of, given, [float(not each) for each in inverted]) == pytest.approx(high, abs=1e-9)
    shown = headline(explanation)
    if shown.score is not None:
        assert low - 1e-9 <= shown.score <= high + 1e-9
    costs = [point.cost for group in explanation.groups() for point in group.points]
    if None not in costs:
        assert sum(cost or 0.0 for cost in costs) == pytest.approx(
            1 - explanation.settled.high if explanation.score is not None else 0.0, abs=1e-9
        )


def test_what_weval_stores_goes_by_its_own_reading_of_each_reply() -> None:
    otherwise = replace(verdict(0), on_weval=WevalReading(1.0))
    unread = replace(verdict(0.5), on_weval=WevalReading(None))
    only_there = replace(DECLINED, on_weval=WevalReading(0.25))
    for readings, there in [
        ((otherwise, verdict(1)), 1.0),
        ((unread, verdict(1)), 1.0),
        ((verdict(1), only_there), 0.63),
        ((only_there,), 0.25),
        ((otherwise, verdict(0)), 0.5),
    ]:
        explanation = agreed_on(ONE, agreed(*readings))
        assert explanation.weval.stored == there
        assert explanation.weval.reasons == ("Weval reads other verdicts in replies of judges, as the criteria say.",)
    avoided = prompt(should_not=[text("one")])
    assert agreed_on(avoided, agreed(otherwise)).weval.stored == 0.0
    assert agreed_on(ONE, agreed(verdict(1))).weval.reasons == ()


def test_a_case_that_waits_for_no_judge_does_not_say_that_it_does() -> None:
    by_score, by_point = read_cases(
        "version: 1\ncases:\n  - {prompt: p, answer: x, score: [0, 50]}\n  - {prompt: p, answer: y, fails: one}\n"
    )[0].cases
    points = [scored(agreed(verdict(0), verdict(1), each)) for each in (FAILED, NOT_ASKED)]
    assert [outcome_of(by_score, ONE, each).why for each in points] == [
        "scores 50.0, between 33 and 67 (c failed on 1 criterion), and 0–50 is wanted",
        "scores 33–67 until all criteria are judged, and 0–50 is wanted",
    ]
    assert [outcome_of(by_point, ONE, each).why for each in points] == [
        "“one” is not judged by c",
        "“one” is not judged",
    ]


@every(
    ("low", "high", "figure", "whole"),
    [
        (0.4999, 0.5001, "50.0", "50"),
        (0.498, 0.502, "50.0, between 49.8 and 50.2", "50"),
        (0.33, 0.67, "50.0, between 33 and 67", "50 (33–67)"),
    ],
)
def test_bounds_that_print_alike_are_one_number(low: float, high: float, figure: str, whole: str) -> None:
    shown = Headline(Bounds(low, high), 2, 2, mean=0.5)
    assert (shown.figure, shown.whole_figure) == (figure, whole)


def test_a_prompt_that_no_judge_could_judge_says_so_wherever_its_score_stands() -> None:
    shown = headline(agreed_on(ONE, agreed(FAILED, DECLINED)))
    assert shown.is_failed
    assert shown.by_itself == "not judged yet (no judge could judge 1 criterion)"
    assert not any(headline(agreed_on(ONE, each)).is_failed for each in (agreed(NOT_ASKED), agreed(verdict(1), FAILED)))


def scored(point: Consensus) -> Scored:
    explanation = agreed_on(ONE, point)
    return Scored(Response("x", ()), explanation.assessments, explanation)
