"""The tables, as a list of migrations that bring a database of any earlier version up to date."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache

_RESPONSES_AND_GRADES = """
CREATE TABLE response (
    id INTEGER PRIMARY KEY,
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    source TEXT NOT NULL,
    subject TEXT NOT NULL,
    thread TEXT NOT NULL,
    model TEXT,
    seconds REAL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cut_off INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    created TEXT NOT NULL
) STRICT;
CREATE INDEX response_by_place ON response (blueprint, prompt, source, id);
CREATE TABLE judgement (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    block TEXT NOT NULL,
    criterion TEXT NOT NULL,
    judge TEXT NOT NULL,
    classification TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (blueprint, prompt, subject_digest, block, criterion, judge)
) STRICT;
"""
_JUDGEMENTS = """
CREATE TABLE verdict (
    key TEXT PRIMARY KEY,
    judgement TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
"""
_SERVICE_REPLIES = """
CREATE TABLE service_answer (
    key TEXT PRIMARY KEY,
    answer TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
"""
_ANSWERS_BY_REQUEST = """
CREATE TABLE answer (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    stop_reason TEXT NOT NULL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    model TEXT,
    created TEXT NOT NULL
) STRICT;
"""
# Answers from before runs were saved become runs with an unknown score. Only those of models and authors were saved.
_RUNS = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    source TEXT NOT NULL,
    suffix TEXT NOT NULL,
    temperature REAL,
    began TEXT NOT NULL,
    state TEXT NOT NULL,
    ended TEXT,
    score REAL,
    low REAL,
    high REAL,
    rubric TEXT NOT NULL,
    words TEXT NOT NULL DEFAULT '',
    arrived TEXT,
    response INTEGER REFERENCES response (id),
    process INTEGER
) STRICT;
CREATE INDEX run_by_place ON run (blueprint, prompt, id);
CREATE INDEX run_under_way ON run (process) WHERE process IS NOT NULL;
CREATE TABLE run_verdict (
    run INTEGER NOT NULL REFERENCES run (id),
    key TEXT NOT NULL,
    PRIMARY KEY (run, key)
) STRICT;
INSERT INTO run (blueprint, prompt, source, suffix, began, state, ended, rubric, response)
    SELECT blueprint, prompt,
        CASE source WHEN 'response' THEN json_array(source, '', NULL) ELSE json_array('model', source, NULL) END,
        '', created, CASE complete WHEN 1 THEN 'scored' ELSE 'stopped' END, created, '', id
    FROM response ORDER BY id;
"""
# A judge may reply differently to the same prompt: each run refers to its own replies, not to the newest of the key.
_EVERY_JUDGEMENT = """
CREATE TABLE judge_reply (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    judgement TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
CREATE INDEX judge_reply_by_key ON judge_reply (key, id);
INSERT INTO judge_reply (key, judgement, created) SELECT key, judgement, created FROM verdict ORDER BY created;
CREATE TABLE run_judge_reply (
    run INTEGER NOT NULL REFERENCES run (id),
    reply INTEGER NOT NULL REFERENCES judge_reply (id),
    PRIMARY KEY (run, reply)
) STRICT;
INSERT INTO run_judge_reply (run, reply)
    SELECT run_verdict.run, judge_reply.id FROM run_verdict JOIN judge_reply USING (key) ORDER BY run_verdict.rowid;
DROP TABLE run_verdict;
DROP TABLE verdict;
"""
# Earlier versions saved only whether an answer was cut off, not why it ended. They did not tell a refusal from an
# answer that a filter withheld, so those answers are requested again.
_STOP_REASONS = """
ALTER TABLE response ADD COLUMN stop_reason TEXT;
ALTER TABLE response ADD COLUMN stop_word TEXT;
UPDATE response SET stop_reason = 'length' WHERE cut_off = 1;
ALTER TABLE response DROP COLUMN cut_off;
ALTER TABLE answer ADD COLUMN stop_word TEXT NOT NULL DEFAULT '';
DELETE FROM answer WHERE stop_reason = 'refused';
ALTER TABLE run ADD COLUMN stop_reason TEXT;
ALTER TABLE run ADD COLUMN stop_word TEXT;
UPDATE run SET stop_reason = 'length' WHERE response IN (SELECT id FROM response WHERE stop_reason = 'length');
"""
_IGNORED_SETTINGS = """
ALTER TABLE answer ADD COLUMN ignored TEXT NOT NULL DEFAULT '';
ALTER TABLE response ADD COLUMN ignored TEXT NOT NULL DEFAULT '';
ALTER TABLE response ADD COLUMN token_limit INTEGER;
"""
# What a headline shows beside the score: the number of judged points, the number of points, and counted remarks.
_HEADLINES = """
ALTER TABLE run ADD COLUMN judged INTEGER;
ALTER TABLE run ADD COLUMN points INTEGER;
ALTER TABLE run ADD COLUMN remarks TEXT NOT NULL DEFAULT '{}';
"""
# Samples of judged pairs, and what people graded without seeing the verdicts.
_BLIND_GRADES = """
CREATE TABLE grading_sample (
    id INTEGER PRIMARY KEY,
    blueprint TEXT NOT NULL,
    seed INTEGER NOT NULL,
    judged INTEGER NOT NULL,
    created TEXT NOT NULL
) STRICT;
CREATE INDEX grading_sample_by_blueprint ON grading_sample (blueprint, id);
CREATE TABLE grading_pair (
    sample INTEGER NOT NULL REFERENCES grading_sample (id),
    position INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    block TEXT NOT NULL,
    criterion TEXT NOT NULL,
    PRIMARY KEY (sample, position)
) STRICT;
CREATE TABLE blind_grade (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    block TEXT NOT NULL,
    criterion TEXT NOT NULL,
    grader TEXT NOT NULL,
    classification TEXT,
    note TEXT NOT NULL DEFAULT '',
    created TEXT NOT NULL,
    PRIMARY KEY (blueprint, prompt, subject_digest, block, criterion, grader)
) STRICT;
"""
# The rubric that scored a run, once for all runs with the same one (`engine.store.stored_rubrics`).
_RUBRICS = """
CREATE TABLE rubric (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL
) STRICT;
ALTER TABLE run ADD COLUMN rubric_content INTEGER REFERENCES rubric (id);
"""
_LINEAGES = """
CREATE TABLE lineage (
    id INTEGER PRIMARY KEY,
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    block TEXT NOT NULL
) STRICT;
CREATE INDEX lineage_by_place ON lineage (blueprint, prompt);
CREATE TABLE wording (
    id INTEGER PRIMARY KEY,
    lineage INTEGER NOT NULL REFERENCES lineage (id),
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    subject TEXT NOT NULL,
    indent INTEGER NOT NULL,
    is_check INTEGER NOT NULL,
    used INTEGER NOT NULL,
    UNIQUE (lineage, name)
) STRICT;
CREATE TABLE wording_verdict (
    wording INTEGER NOT NULL REFERENCES wording (id),
    subject_digest TEXT NOT NULL,
    judge TEXT NOT NULL,
    extent REAL NOT NULL,
    reflection TEXT NOT NULL,
    context TEXT NOT NULL,
    PRIMARY KEY (wording, subject_digest, judge)
) STRICT;
CREATE TABLE criterion_answer (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    chosen INTEGER NOT NULL,
    PRIMARY KEY (blueprint, prompt, subject_digest)
) STRICT;
"""
# Answers that are saved already may have been seen: only those after `began` can be fresh.
_SHOWN_ANSWERS = """
CREATE TABLE showing_recorded (began TEXT NOT NULL) STRICT;
INSERT INTO showing_recorded (began) VALUES (strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'));
CREATE TABLE shown_answer (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    first TEXT NOT NULL,
    PRIMARY KEY (blueprint, prompt, subject_digest)
) STRICT;
CREATE TABLE point_wording (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    block TEXT NOT NULL,
    name TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (blueprint, prompt, block, name)
) STRICT;
"""
# How a judge was asked belongs to its verdict: by another scale, the same judge has another one. Of earlier verdicts it
# was not recorded.
_JUDGE_FORMS = """
CREATE TABLE wording_verdict_by_form (
    wording INTEGER NOT NULL REFERENCES wording (id),
    subject_digest TEXT NOT NULL,
    judge TEXT NOT NULL,
    extent REAL NOT NULL,
    reflection TEXT NOT NULL,
    context TEXT NOT NULL,
    scale TEXT NOT NULL DEFAULT '',
    form TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (wording, subject_digest, judge, scale, form)
) STRICT;
INSERT INTO wording_verdict_by_form
    SELECT wording, subject_digest, judge, extent, reflection, context, '', '' FROM wording_verdict ORDER BY rowid;
DROP TABLE wording_verdict;
ALTER TABLE wording_verdict_by_form RENAME TO wording_verdict;
"""
# An answer is shown when a verdict on it is; it is read when its text is on the screen.
_READ_ANSWERS = "ALTER TABLE shown_answer ADD COLUMN is_read INTEGER NOT NULL DEFAULT 1;"
STEPS = (
    _RESPONSES_AND_GRADES,
    _JUDGEMENTS,
    _SERVICE_REPLIES,
    _ANSWERS_BY_REQUEST,
    _RUNS,
    _EVERY_JUDGEMENT,
    _STOP_REASONS,
    _IGNORED_SETTINGS,
    _HEADLINES,
    _BLIND_GRADES,
    _RUBRICS,
    _LINEAGES,
    _SHOWN_ANSWERS,
    _JUDGE_FORMS,
    _READ_ANSWERS,
)
"""The `user_version` of a database is the number of steps that it has taken. A published step never changes."""


class NewerDatabase(Exception):
    """The database has more steps than this version knows."""


class UnknownTables(Exception):
    """The tables are not those that the version of the database says."""


def migrate(connection: sqlite3.Connection) -> None:
    """Take the missing steps, all or none. Raises `NewerDatabase`, `UnknownTables`, `sqlite3.Error`."""
    version = _version(connection)
    if version < 0:
        raise UnknownTables
    if version > len(STEPS):
        raise NewerDatabase
    if version == len(STEPS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in STEPS[_version(connection) :]:  # read again: another studio may have migrated it meanwhile
            for statement in filter(str.strip, step.split(";")):
                _execute(connection, statement)
        connection.execute(f"PRAGMA user_version = {len(STEPS)}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _execute(connection: sqlite3.Connection, statement: str) -> None:
    """Execute one statement of a step. Raises `UnknownTables` if it does not fit the tables that are there."""
    try:
        connection.execute(statement)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            raise UnknownTables from error
        raise


def check_tables(connection: sqlite3.Connection) -> None:
    """Raise `UnknownTables` unless all tables are there with their columns. Raises `sqlite3.Error`."""
    there = _columns(connection)
    if not all(there.get(table, frozenset()) >= columns for table, columns in _expected().items()):
        raise UnknownTables


@cache
def _expected() -> dict[str, frozenset[str]]:
    """The columns of each table after all steps."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        return _columns(connection)


def _columns(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    query = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
    for table, column in connection.execute(query):
        found.setdefault(table, set()).add(column)
    return {table: frozenset(columns) for table, columns in found.items()}


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return version
