"""A database of an earlier version is carried on, one of a later version left alone, and trouble told in words."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.blueprint import Block
from engine.blueprint.conversation import Stop, StopReason
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, RunState, Store, StoreUnavailable
from engine.store.database import migrations

PLACE = PromptPlace("a.yml", "p1")
KIND = Criterion(Block.SHOULD, "Is kind")

PUBLISHED = """
737a1d1063220248 50ef673c98234d6e 0f0b5f43724a047a 51101a7fe98c18bc e94a31ee2d689e89
ca45c66359b10b5a 113d9242e0d4ab5c 3e3c385d0fdecd09 f9fe2f7a26a697b9 c1938897de33d21a
ec85637b6ef6c897 318938cb265bbeee c1252db32670b0fd d65b69e812218501 7bccd37038bebc02
"""
"""Digests of the migrations: one more for each new step."""
VERSION_1 = """
CREATE TABLE response (
    id INTEGER PRIMARY KEY, blueprint TEXT NOT NULL, prompt TEXT NOT NULL, source TEXT NOT NULL, subject TEXT NOT NULL,
    thread TEXT NOT NULL, model TEXT, seconds REAL, input_tokens INTEGER, output_tokens INTEGER,
    cut_off INTEGER NOT NULL, complete INTEGER NOT NULL, created TEXT NOT NULL
) STRICT;
CREATE INDEX response_by_place ON response (blueprint, prompt, source, id);
CREATE TABLE judgement (
    blueprint TEXT NOT NULL, prompt TEXT NOT NULL, subject_digest TEXT NOT NULL, block TEXT NOT NULL,
    criterion TEXT NOT NULL, judge TEXT NOT NULL, classification TEXT NOT NULL, created TEXT NOT NULL,
    PRIMARY KEY (blueprint, prompt, subject_digest, block, criterion, judge)
) STRICT;
INSERT INTO response VALUES (
    1, 'a.yml', 'p1', 'openai:m', 'Hello.', '[["assistant", "Hello.", true]]', 'm', 1.5, 3, 4, 0, 1,
    '2026-01-01T00:00:00.000+00:00'
);
INSERT INTO judgement VALUES (
    'a.yml', 'p1', '2d8bd7d9bb5f85ba643f0110d50cb506a1fe439e769a22503193ea6046bb87f7', 'should', 'Is kind', 'human',
    'CLASS_FULLY_PRESENT', '2026-01-01T00:00:00.000+00:00'
);
PRAGMA user_version = 1;
"""
VERSION_2 = (
    VERSION_1
    + """
CREATE TABLE verdict (key TEXT PRIMARY KEY, judgement TEXT NOT NULL, created TEXT NOT NULL) STRICT;
INSERT INTO verdict VALUES ('k', '{}', '2026-01-01T00:00:00.000+00:00');
PRAGMA user_version = 2;
"""
)
JUDGEMENT = """{"judge": {"id": "a", "model": "x:m", "approach": "holistic"}, "criterion": "Is kind", "attempts":
[{"request": {"model": "m", "turns": [{"role": "user", "content": "How kind?"}], "temperature": 0.0, "max_tokens": 500,
"knobs": {}, "seconds": 45.0}, "reply": "<classification>CLASS_ABSENT</classification>", "reading":
{"extent": 0.0, "step": null, "reflection": ""}, "model": null, "usage": {}, "milliseconds": 1}]}"""
VERSION_5 = (
    "".join(step.read_text("utf-8") for step in migrations()[:5])
    + f"""
INSERT INTO run (id, blueprint, prompt, source, suffix, began, state, rubric) VALUES (
    7, 'a.yml', 'p1', '["model", "openai:m", null]', '', '2026-01-01T00:00:00.000+00:00', 'scored', ''
);
INSERT INTO verdict VALUES ('k', '{JUDGEMENT}', '2026-01-01T00:00:00.000+00:00');
INSERT INTO run_verdict VALUES (7, 'k');
PRAGMA user_version = 5;
"""
)
STAMP = "'2026-01-01T00:00:00.000+00:00'"
VERSION_6 = (
    "".join(step.read_text("utf-8") for step in migrations()[:6])
    + f"""
INSERT INTO response VALUES
    (1, 'a.yml', 'p1', 'openai:m', 'Hel', '[["assistant", "Hel", true]]', 'm', 1.5, 3, 4, 1, 1, {STAMP}),
    (2, 'a.yml', 'p1', 'openai:n', 'Hello.', '[["assistant", "Hello.", true]]', 'n', 1.5, 3, 4, 0, 1, {STAMP});
INSERT INTO run (blueprint, prompt, source, suffix, began, state, rubric, response)
    VALUES ('a.yml', 'p1', '["model", "openai:m", null]', '', {STAMP}, 'scored', '', 1),
           ('a.yml', 'p1', '["model", "openai:n", null]', '', {STAMP}, 'scored', '', 2);
INSERT INTO answer VALUES
    ('cut', 'Hel', 'length', 3, 4, 'm', {STAMP}),
    ('whole', 'Hello.', 'stop', 3, 4, 'm', {STAMP}),
    ('odd', 'Hello.', 'other', 3, 4, 'm', {STAMP}),
    ('withheld or refused', 'Hel', 'refused', 3, 4, 'm', {STAMP});
PRAGMA user_version = 6;
"""
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "studio.sqlite3"


def old_database(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


@pytest.mark.parametrize("sql", [VERSION_1, VERSION_2], ids=["before judges", "before services"])
def test_an_earlier_database_is_carried_on_with_all_that_is_in_it(path: Path, sql: str) -> None:
    old_database(path, sql)
    store = Store(path)
    kept = store.latest_response(PLACE, "openai:m")
    assert kept is not None
    assert kept.subject == "Hello."
    assert store.grades(PLACE, "Hello.") == {KIND: Grade.FULLY_PRESENT}
    assert version_of(path) == len(migrations())


def test_answers_from_before_runs_were_kept_are_runs_whose_score_is_not_known(path: Path) -> None:
    old_database(path, VERSION_2)
    store = Store(path)
    [run] = store.past_runs(PLACE)
    assert (run.candidate.key, run.state, run.score, run.rubric) == ("openai:m", RunState.SCORED, None, "")
    kept = store.past_response(run.number)
    assert kept is not None
    assert kept.subject == "Hello."


def test_what_judges_said_before_is_still_there(path: Path) -> None:
    old_database(path, VERSION_2)
    Store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT key FROM judge_reply").fetchall() == [("k",)]


def test_what_judges_said_in_a_run_before_is_still_said_in_it(path: Path) -> None:
    old_database(path, VERSION_5)
    [judgement] = Store(path).past_judgements(7)
    assert (judgement.key, judgement.judge.id, judgement.shown) == ("k", "a", None)
    assert judgement.verdict is not None
    assert judgement.verdict.extent == 0.0


def test_an_answer_that_was_cut_off_before_still_is(path: Path) -> None:
    old_database(path, VERSION_6)
    kept = Store(path).latest_response(PLACE, "openai:m")
    assert kept is not None
    assert kept.stop == Stop(StopReason.LENGTH)


def test_why_an_earlier_answer_ended_is_else_not_known(path: Path) -> None:
    old_database(path, VERSION_6)
    kept = Store(path).latest_response(PLACE, "openai:n")
    assert kept is not None
    assert kept.stop is None


def test_an_earlier_run_whose_answer_was_cut_off_says_so(path: Path) -> None:
    old_database(path, VERSION_6)
    whole, cut = Store(path).past_runs(PLACE)
    assert (whole.stop, cut.stop) == (None, Stop(StopReason.LENGTH))


@pytest.mark.parametrize(
    ("key", "reason"), [("cut", StopReason.LENGTH), ("whole", StopReason.STOP), ("odd", StopReason.OTHER)]
)
def test_an_earlier_answer_to_a_request_is_found_with_why_it_ended(path: Path, key: str, reason: StopReason) -> None:
    old_database(path, VERSION_6)
    answer = Store(path).answer(key)
    assert answer is not None
    assert (answer.end.stop_reason, answer.end.word) == (reason, "")


def test_what_may_have_been_withheld_before_is_asked_for_again(path: Path) -> None:
    old_database(path, VERSION_6)
    assert Store(path).answer("withheld or refused") is None


def test_a_score_from_before_headlines_were_kept_has_its_bounds_and_no_counts(path: Path) -> None:
    old_database(path, VERSION_5 + "UPDATE run SET score = 0.5, low = 0.25, high = 0.75;")
    [run] = Store(path).past_runs(PLACE)
    assert str(run.headline) == "25–75, not all criteria judged"


def test_steps_are_taken_all_or_none(path: Path) -> None:
    old_database(path, VERSION_2 + "PRAGMA user_version = 1;")  # the second step finds its table there: it must fail
    with closing(Store(path)):
        [aside] = path.parent.glob("studio.sqlite3.damaged-*[0-9]")
        assert (version_of(aside), version_of(path)) == (1, len(migrations()))


def test_a_file_that_is_no_database_is_set_aside(path: Path) -> None:
    path.write_bytes(b"not a database" * 100)
    with closing(Store(path)):
        [aside] = path.parent.glob("studio.sqlite3.damaged-*[0-9]")
        assert aside.read_bytes() == b"not a database" * 100


def test_a_database_of_a_newer_version_is_left_alone(path: Path) -> None:
    old_database(path, "PRAGMA user_version = 99")
    with pytest.raises(StoreUnavailable, match="newer"):
        Store(path)
    assert version_of(path) == 99


def test_answers_of_before_took_every_setting(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "".join(step.read_text("utf-8") for step in migrations()[:7])
            + "INSERT INTO answer VALUES ('k', 'Hi', 'stop', 1, 2, 'm', '2026-01-01T00:00:00.000+00:00', '');"
            + "INSERT INTO response VALUES (1, 'a.yml', 'p1', 'openai:m', 'Hello.', '[]', 'm', 1.5, 3, 4, 1,"
            " '2026-01-01T00:00:00.000+00:00', NULL, NULL); PRAGMA user_version = 7;"
        )
    with closing(Store(path)) as store:
        answer, response = store.answer("k"), store.latest_response(PLACE, "openai:m")
    assert answer is not None
    assert response is not None
    assert (answer.end.ignored, response.ignored, response.token_limit) == ((), (), None)


def test_a_published_migration_never_changes() -> None:
    digests = [hashlib.sha256(step.read_bytes()).hexdigest()[:16] for step in migrations()]
    assert digests == PUBLISHED.split()
