"""Saved answers: which text is taken, whose turn it is, and that a recorded run can be had again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.blueprint import Block, Blueprint, Message, Prompt, Role, unique_keys
from engine.blueprint.conversation import Variant, conversation, subject_text
from engine.evaluation.events import Failed, Response, Scored
from engine.evaluation.fixtures import FixturesFile, read_fixtures, saved_answer
from engine.evaluation.point_assessment import assess
from engine.evaluation.prompt_evaluation import evaluate, rescore
from engine.evaluation.result_json import Entry, coverage_result, dumps, record_fixtures
from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureRequest,
    FixtureSource,
    IdealSource,
    ModelSource,
    SavedSource,
    StoredSource,
    WrittenSource,
    saved_source,
)
from engine.files.own_files import state_dir
from engine.files.user_settings import save_written_answers, written_answers
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.explanation import point_label
from engine.scoring.explanation_builder import explain
from engine.text.record import replace
from engine.text.spans import NOWHERE
from tests.checked_corpus import read
from tests.engine.builders import blueprint, check, prompt
from tests.engine.short_cases import assert_says, data_of
from tests.expected import of_kind
from tests.many_cases import every
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

# Saved answers: which text is taken, whose turn it is, and that a recorded run can be had again


TINY, SMALL = FixtureRequest("openai:tiny"), FixtureRequest("openai:small")


def fixtures(**answers: Any) -> FixturesFile:
    """A file with `answers` to the prompt `p`; `strategy` and `seed` are the file's own."""
    own = {name: answers.pop(name) for name in ("strategy", "seed") if name in answers}
    return FixturesFile.model_validate(own | {"responses": {"p": answers}})


def text_for(file: FixturesFile, asking: FixtureRequest, *before: FixtureRequest) -> str | None:
    saved = saved_answer(file, "p", asking, before)
    return None if saved is None else saved.turns[0]


# Strategies

LIST = ["a", "b", "c"]


def test_a_seed_changes_what_is_chosen() -> None:
    assert {text_for(fixtures(default=LIST, seed=seed), TINY) for seed in range(40)} == {"a", "b", "c"}


@given(texts=st.lists(st.text(min_size=1), min_size=1, max_size=6), rounds=st.integers(1, 3))
def test_a_whole_round_gives_every_text_once(texts: list[str], rounds: int) -> None:
    file = fixtures(strategy="round-robin", default=texts)
    asked = len(texts) * rounds
    assert [text_for(file, TINY, *[TINY] * turn) for turn in range(asked)] == texts * rounds


# In a run

ASKED = (Message(NOWHERE, Role.USER, "What is the capital of France?"),)
CAPITAL = prompt([check("contains", "Paris")], messages=ASKED)


def saved_in(folder: Path, data: Any) -> Path:
    path = folder / "saved.json"
    path.write_text(dumps(data), "utf-8")
    return path


async def end_of(of: Prompt, source: FixtureSource, javascript: JavaScript, **more: Any) -> Scored | Failed:
    file = more.pop("within", None) or blueprint(of)
    *_, last = [event async for event in evaluate(of, file, source, javascript=javascript, **more)]
    assert isinstance(last, Scored | Failed)
    return last


async def subject_of(of: Prompt, source: FixtureSource, javascript: JavaScript, **more: Any) -> str:
    last = of_kind(Scored, await end_of(of, source, javascript, **more))
    return last.response.subject


async def test_round_robin_goes_on_from_run_to_run(tmp_path: Path, javascript: JavaScript) -> None:
    source = FixtureSource(saved_in(tmp_path, {"strategy": "round-robin", "responses": {"p": {"default": ["a", "b"]}}}))
    assert [await subject_of(CAPITAL, source, javascript) for _ in range(3)] == ["a", "b", "a"]


async def test_runs_at_the_same_time_take_turns_in_the_order_in_which_they_began(
    tmp_path: Path, javascript: JavaScript
) -> None:
    texts = [str(number) for number in range(12)]
    path = saved_in(tmp_path, {"strategy": "round-robin", "responses": {"p": {"byModel": {"*": texts}}}})
    runs = [subject_of(CAPITAL, FixtureSource(path, f"model:{number}"), javascript) for number in range(12)]
    assert await asyncio.gather(*runs) == texts


async def test_a_prompt_that_ends_in_a_written_answer_needs_no_saved_one(
    tmp_path: Path, javascript: JavaScript
) -> None:
    written = replace(CAPITAL, messages=(*ASKED, Message(NOWHERE, Role.ASSISTANT, "It is Paris.")))
    source = FixtureSource(saved_in(tmp_path, {"responses": {}}))
    assert await subject_of(written, source, javascript) == "It is Paris."


async def test_answers_of_models_only_are_reported_where_no_model_is_named(
    tmp_path: Path, javascript: JavaScript
) -> None:
    source = FixtureSource(saved_in(tmp_path, {"responses": {"p": {"byModel": {"openai:tiny": "Paris"}}}}))
    failed = of_kind(Failed, await end_of(CAPITAL, source, javascript))
    assert failed.advice == "There are answers of openai:tiny: name one of these models, or add a `default`."


# Recording


def entry_of(of: Prompt, turns: list[str], javascript: JavaScript, file: Blueprint, variant: Variant) -> Entry:
    """What a run of the model `openai:tiny` ends with, if it says `turns`."""
    thread = conversation(of, file.header, variant).answered(turns)
    subject = subject_text(thread)
    assessments = assess(of, subject, javascript, thread=thread, model="openai:tiny")
    scored = Scored(Response(subject, thread, "openai:tiny"), assessments, explain(of, assessments))
    return Entry(of, of.id, f"openai:tiny{variant.suffix}", scored, variant.suffix)


async def test_a_variant_that_failed_does_not_shift_the_others(tmp_path: Path, javascript: JavaScript) -> None:
    cold, warm = Variant(0, 0.0, suffix="[temp:0]"), Variant(1, 0.7, suffix="[temp:0.7]")
    failed = Entry(CAPITAL, "p", "openai:tiny[temp:0]", Failed("Stopped."), cold.suffix)
    done = entry_of(CAPITAL, ["Paris"], javascript, blueprint(CAPITAL), warm)
    source = FixtureSource(saved_in(tmp_path, record_fixtures([failed, done])), "openai:tiny")
    assert await subject_of(CAPITAL, source, javascript, variant=warm) == "Paris"


async def test_each_variant_has_its_own_turns_again(tmp_path: Path, javascript: JavaScript) -> None:
    talk = replace(CAPITAL, messages=(*ASKED, Message(NOWHERE, Role.ASSISTANT, None), *ASKED))
    variants = [Variant(0, 0.0, suffix="[temp:0]"), Variant(1, 0.7, suffix="[temp:0.7]")]
    said = [["a", "b"], ["c", "d"]]
    entries = [
        entry_of(talk, turns, javascript, blueprint(talk), variant)
        for turns, variant in zip(said, variants, strict=True)
    ]
    source = FixtureSource(saved_in(tmp_path, record_fixtures(entries)), "openai:tiny")
    assert [await subject_of(talk, source, javascript, variant=each) for each in variants] == ["a\n\nb", "c\n\nd"]


TWINS = """\
- {id: p, prompt: What is the capital of France?, should: [$contains: Paris]}
- {id: p, prompt: What is the capital of Spain?, should: [$contains: Madrid]}
"""


def twin_entry(file: Blueprint, place: int, said: str, javascript: JavaScript) -> Entry:
    entry = entry_of(file.prompts[place], [said], javascript, file, Variant())
    return replace(entry, prompt_key=unique_keys(file.prompts)[place])


async def test_prompts_that_share_an_id_get_each_its_own_answer_again(tmp_path: Path, javascript: JavaScript) -> None:
    file = parse(TWINS).blueprint
    entries = [twin_entry(file, 0, "Paris", javascript), twin_entry(file, 1, "Madrid", javascript)]
    source = FixtureSource(saved_in(tmp_path, record_fixtures(entries)), "openai:tiny")
    again = [await subject_of(file.prompts[place], source, javascript, within=file) for place in (1, 0, 1)]
    assert again == ["Madrid", "Paris", "Madrid"]


async def test_where_one_of_them_failed_it_does_not_get_the_others_answer(
    tmp_path: Path, javascript: JavaScript
) -> None:
    file = parse(TWINS).blueprint
    failed = Entry(file.prompts[1], "p#2", "openai:tiny", Failed("Stopped."))
    saved = saved_in(tmp_path, record_fixtures([twin_entry(file, 0, "Paris", javascript), failed]))
    last = of_kind(Failed, await end_of(file.prompts[1], FixtureSource(saved, "openai:tiny"), javascript, within=file))
    assert last.title == "There is no saved answer to p#2."


async def test_a_file_that_does_not_tell_them_apart_gives_them_turns(tmp_path: Path, javascript: JavaScript) -> None:
    file = parse(TWINS).blueprint
    saved = {"strategy": "round-robin", "responses": {"p": {"default": ["Paris", "Madrid"]}}}
    source = FixtureSource(saved_in(tmp_path, saved))
    assert [await subject_of(each, source, javascript, within=file) for each in file.prompts] == ["Paris", "Madrid"]


def test_an_answer_without_a_word_is_not_recorded(javascript: JavaScript) -> None:
    empty = entry_of(CAPITAL, [" "], javascript, blueprint(CAPITAL), Variant())
    assert record_fixtures([empty]) == {"version": 1, "strategy": "round-robin", "responses": {}}


def test_a_recorded_file_is_read_as_it_was_meant(tmp_path: Path, javascript: JavaScript) -> None:
    done = entry_of(CAPITAL, ["Paris"], javascript, blueprint(CAPITAL), Variant())
    path = saved_in(tmp_path, record_fixtures([done]))
    assert json.loads(path.read_text("utf-8"))["responses"] == {"p": {"byModel": {"openai:tiny": "Paris"}}}
    assert text_for(read_fixtures(path), TINY) == "Paris"


@cache
def corpus_prompts() -> list[tuple[Path, int]]:
    """Prompts with checks or of several turns, by their files and places."""
    return [
        (path, place)
        for path in one_in(4, corpus_files()[::9])
        for place, each in enumerate(read(path).blueprint.prompts[:4])
        if any(point.function is not None for point in each.points()) or len(each.messages) > 1
    ]


@needs_corpus
@settings(
    max_examples=tried(13, 40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
async def test_a_recorded_answer_to_a_corpus_prompt_scores_the_same_again(
    data: st.DataObject, tmp_path: Path, javascript: JavaScript
) -> None:
    path, place = data.draw(st.sampled_from(corpus_prompts()))
    file = read(path).blueprint
    of = file.prompts[place]
    pending = max(conversation(of, file.header).pending, 1)
    words = st.text(alphabet='AB Yes\n\u2028é😀{}"\\', min_size=1).filter(str.strip)
    turns = data.draw(st.lists(words, min_size=pending, max_size=pending))
    entry = entry_of(of, turns, javascript, file, Variant())
    source = FixtureSource(saved_in(tmp_path, record_fixtures([entry])), "openai:tiny")
    assert await end_of(of, source, javascript, within=file) == entry.outcome


# The author's own answers are on disk as they are written, for each blueprint by itself


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.yml"
    path.touch()
    return path


def only_file() -> Path:
    (file,) = (state_dir() / "answers").iterdir()
    return file


def test_nothing_is_there_at_first(path: Path) -> None:
    assert written_answers(path) == {}


@pytest.mark.parametrize("text", ["Yes.", "é\r\n🙂\0\x1b", "\u2028", "x" * 1_000_000], ids=len)
def test_an_answer_comes_back_as_it_was_written(path: Path, text: str) -> None:
    save_written_answers(path, {"a": text})
    assert written_answers(path) == {"a": text}


def test_a_lone_surrogate_becomes_a_replacement_character(path: Path) -> None:
    save_written_answers(path, {"a": "x\ud800"})
    assert written_answers(path) == {"a": "x\ufffd"}


def test_the_answers_of_another_studio_stay(path: Path) -> None:
    save_written_answers(path, {"a": "theirs"})
    save_written_answers(path, {"b": "mine"})
    assert written_answers(path) == {"a": "theirs", "b": "mine"}


def test_an_empty_answer_is_removed(path: Path) -> None:
    save_written_answers(path, {"a": "Yes.", "b": "No."})
    save_written_answers(path, {"a": ""})
    assert written_answers(path) == {"b": "No."}


def test_each_blueprint_has_its_own(path: Path, tmp_path: Path) -> None:
    save_written_answers(path, {"a": "Yes."})
    assert written_answers(tmp_path / "b.yml") == {}


def test_a_symlink_has_those_of_its_target(path: Path, tmp_path: Path) -> None:
    (tmp_path / "link.yml").symlink_to(path)
    save_written_answers(path, {"a": "Yes."})
    assert written_answers(tmp_path / "link.yml") == {"a": "Yes."}


def test_they_are_private(path: Path) -> None:
    save_written_answers(path, {"a": "Yes."})
    assert (only_file().stat().st_mode & 0o777, only_file().parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"answers": []}', b'{"answers": {"a": 1}}', b'{"answers": {"a": "\\ud800"}}', b"[" * 200_000],
    ids=lambda content: content[:24],
)
def test_a_damaged_file_is_set_aside(path: Path, content: bytes) -> None:
    save_written_answers(path, {"a": "Yes."})
    only_file().write_bytes(content)
    assert written_answers(path) == {}
    assert ".damaged-" in only_file().name


# Published answers as a source: the stored text and verdicts, held against the rubric of today


MODEL = "openai:tiny"
BLUEPRINT = """\
- id: p
  prompt: What is the capital of France?
  should:
    - $contains: Paris
    - Says where it lies
  should_not:
    - is rude
"""


def stored_in(folder: Path, case: Mapping[str, Any]) -> StoredSource:
    """A result file with one answer and three criteria, which `judges` have judged half and half."""
    said = [
        {"judgeModelId": judge, "coverageExtent": extent, "reflection": "So."}
        for judge, extent in zip(case.get("judges", ["a"]), (0.25, 0.75), strict=False)
    ]
    points = [
        {"keyPointText": 'Function: contains("Paris")', "coverageExtent": 1},
        {"keyPointText": "Says where it lies", "coverageExtent": 0.4, "individualJudgements": said},
        {"keyPointText": "is rude", "coverageExtent": 0.75, "isInverted": True},
    ]
    held = {"avgCoverageExtent": case.get("average", 0.72), "pointAssessments": case.get("published", points)}
    held |= {"error": "429", "avgCoverageExtent": None} if "published" in case else {}
    data: dict[str, Any] = {"evaluationResults": {"llmCoverageScores": {"p": {MODEL: held}}}}
    data["promptContexts"] = {"p": [{"role": "user", "content": "What is the capital of France?"}]}
    if case.get("answer", "") is not None:
        data["allFinalAssistantResponses"] = {"p": {MODEL: case.get("answer", "Lyon")}}
    if "published description" in case:
        data["config"] = {"description": case["published description"]}
    path = folder / "run_comparison.json"
    path.write_text(json.dumps(data), "utf-8")
    return StoredSource(path, MODEL)


async def end_of_run(
    source: AnswerSource, javascript: JavaScript, text: str = BLUEPRINT, **more: Any
) -> Scored | Failed:
    blueprint = parse(text).blueprint
    run = evaluate(blueprint.prompts[0], blueprint, source, javascript=javascript, **more)
    *_, last = [event async for event in run]
    assert isinstance(last, Scored | Failed)
    return last


async def scored_of(source: AnswerSource, javascript: JavaScript) -> Scored:
    return of_kind(Scored, await end_of_run(source, javascript))


def told(end: Scored | Failed) -> Iterator[str]:
    """All that is told of a published answer, scored anew and exported again."""
    if isinstance(end, Failed):
        yield end.title
        return
    yield f"{MODEL} says “{end.response.subject}”"
    exported: Any = coverage_result(end)
    for each, point in zip(end.assessments, exported["pointAssessments"], strict=True):
        carried = f", not seen then: {', '.join(each.carried_over)}" if each.carried_over else ""
        said = "; ".join(filter(None, (each.detail, each.reflection)))
        by = "nobody" if each.by is None else each.by.value
        yield f"{point_label(each.point)}: {each.extent} by {by}{carried}. {said}"
        judges = [f"{one['judgeModelId']} {one['coverageExtent']}" for one in point.get("individualJudgements", ())]
        yield from [f"  exported with {', '.join(judges)}"] if judges else []
    yield from [f"agreement: {json.dumps(exported['judgeAgreement'])}"] if "judgeAgreement" in exported else []
    published = end.explanation.published
    if published is not None:
        yield f"published {published.score}: {' '.join(published.reasons)}"
        yield from published.since
        yield from (f"gone: {point_label(each.point)}, {each.extent}" for each in published.gone)


def test_a_published_answer_is_scored_anew_as_its_file_says(
    tmp_path: Path, javascript: JavaScript, pytestconfig: pytest.Config
) -> None:
    def say(mark: str, _: str) -> Iterator[str]:
        case = data_of(mark)
        before, after = case.get("edit", ("", ""))
        assert before in BLUEPRINT
        header = f"description: {case['description']}\n---\n" if "description" in case else ""
        grades = {Criterion(Block.SHOULD, case["graded"]): Grade.FULLY_PRESENT} if "graded" in case else {}
        text = header + BLUEPRINT.replace(before, after, 1)
        return told(asyncio.run(end_of_run(stored_in(tmp_path, case), javascript, text, grades=grades)))

    assert_says(Path(__file__).with_name("republishing_cases.txt"), say, pytestconfig)


async def test_an_edit_of_the_rubric_is_scored_without_a_new_run(tmp_path: Path, javascript: JavaScript) -> None:
    source = stored_in(tmp_path, {})
    response = (await scored_of(source, javascript)).response
    edited = parse(BLUEPRINT.replace("Paris", "Lyon")).blueprint
    *_, last = [
        event
        async for event in rescore(edited.prompts[0], source, response, javascript=javascript, header=edited.header)
    ]
    assert isinstance(last, Scored)
    assert [each.extent for each in last.assessments] == [1.0, 0.4, 0.75]


async def test_a_file_that_changes_is_read_again(tmp_path: Path, javascript: JavaScript) -> None:
    await scored_of(stored_in(tmp_path, {}), javascript)
    again = await scored_of(stored_in(tmp_path, {"answer": "It is Paris, of course."}), javascript)
    assert again.response.subject == "It is Paris, of course."


async def test_a_file_that_is_gone_is_reported(tmp_path: Path, javascript: JavaScript) -> None:
    failed = of_kind(Failed, await end_of_run(StoredSource(tmp_path / "none.json", MODEL), javascript))
    assert failed.title == "The result file cannot be used."


# Sources

SOURCES: list[AnswerSource] = [
    IdealSource(),
    WrittenSource(""),
    *map(ControlSource, ControlKind),
    FixtureSource(Path("saved.yml"), "openai:tiny"),
    FixtureSource(Path("saved.yml")),
    ModelSource("openai:tiny", "http://127.0.0.1/v1"),
    StoredSource(Path("run_comparison.json"), MODEL),
]


@every("source", SOURCES, ids=lambda source: source.label)
def test_a_source_is_saved_as_it_is(source: AnswerSource) -> None:
    assert saved_source(source.saved) == source


@every(
    "saved",
    [SavedSource("unheard-of"), SavedSource("model"), SavedSource("control", "odd"), SavedSource("published", "x")],
)
def test_what_lacks_what_it_needs_is_no_source(saved: SavedSource) -> None:
    assert saved_source(saved) is None


def test_sources_have_keys_of_their_own() -> None:
    assert len({source.key for source in SOURCES}) == len(SOURCES) - 1, "a model and its saved answers share one"


@pytest.mark.parametrize(
    ("name", "which"),
    [("run.json", "run.json"), ("0a1b_2026-03-01T10-20-30-400Z_comparison.json", "2026-03-01 10:20")],
)
def test_a_published_answer_is_named_by_its_model_and_its_time_or_else_its_file(name: str, which: str) -> None:
    assert StoredSource(Path("a") / name, MODEL).label == f"published: tiny, {which}"


# Written as a result file again


TWO = {"judges": ["strict(openai:strict-1)", "kind(openai:kind-1)"]}


async def test_how_far_they_agreed_survives_judges_of_today_for_whom_nothing_was_open(
    tmp_path: Path, javascript: JavaScript
) -> None:
    scored = await scored_of(stored_in(tmp_path, TWO), javascript)
    before, now = coverage_result(scored), coverage_result(replace(scored, judged=True))
    assert now["judgeAgreement"] == before["judgeAgreement"]
