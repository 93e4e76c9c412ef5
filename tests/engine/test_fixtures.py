"""Saved answers: which text is taken, whose turn it is, and that a recorded run can be had again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.blueprint import Blueprint, Message, Prompt, Role, unique_keys
from engine.blueprint.conversation import Variant, conversation, subject_text
from engine.evaluation.events import Failed, Response, Scored
from engine.evaluation.fixtures import FixturesFile, read_fixtures, saved_answer
from engine.evaluation.point_assessment import assess
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.result_json import Entry, dumps, record_fixtures
from engine.evaluation.sources import FixtureRequest, FixtureSource
from engine.files.own_files import state_dir
from engine.files.user_settings import save_written_answers, written_answers
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.scoring.explanation_builder import explain
from engine.text.record import replace
from engine.text.spans import NOWHERE
from tests.engine.builders import blueprint, check, prompt
from tests.thoroughness import tried
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
    last = await end_of(of, source, javascript, **more)
    assert isinstance(last, Scored), last
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
    failed = await end_of(CAPITAL, source, javascript)
    assert isinstance(failed, Failed)
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
    last = await end_of(file.prompts[1], FixtureSource(saved, "openai:tiny"), javascript, within=file)
    assert isinstance(last, Failed)
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


CORPUS_PROMPTS = [
    (path, place)
    for path in corpus_files()[::9]
    for place, each in enumerate(parse(path.read_text("utf-8"), path).blueprint.prompts[:4])
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
    path, place = data.draw(st.sampled_from(CORPUS_PROMPTS))
    file = parse(path.read_text("utf-8"), path).blueprint
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
