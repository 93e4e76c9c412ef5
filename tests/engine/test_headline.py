"""The headline of a score: bounds first while criteria are open, and what else must be known."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
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
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse, weval_config
from engine.rules.source.path_lists import block_notes
from engine.scoring.assessment import AssessedBy, Assessment, Bounds
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import aggregate, place
from engine.study.two_runs import Edit, word_difference, words_summary
from tests.engine.short_cases import assert_lines_say, assert_says
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in, tried
from tests.world import CORPUS, needs_corpus

# The headline of a score: bounds first while criteria are open, and what else must be known


CUT_TURN = ThreadTurn(Role.ASSISTANT, "Yes, bec", generated=True, stop=Stop(StopReason.LENGTH))
CUT = Response("Yes, bec", (CUT_TURN,))
FOUR = "[one, two, three, four]"


def prompt(should: str) -> Prompt:
    return parse(f"- id: p\n  prompt: Hello?\n  should: {should}\n").blueprint.prompts[0]


def judged(should: str, *extents: float | None, response: Response | None = None) -> Headline:
    one = prompt(should)
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
    for prompt, name in zip(prompts, unique_keys(prompts).values(), strict=True):
        for candidate in by or candidates(MODEL, header):
            thread = conversation(prompt, header, candidate.variant).answered(["Yes."])
            assessments = tuple(assess(prompt, "Yes.", javascript, thread=thread))
            scored = Scored(Response("Yes.", thread), assessments, explain(prompt, assessments))
            entries.append(Entry(prompt, name, candidate.key, scored, candidate.variant.suffix))
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
