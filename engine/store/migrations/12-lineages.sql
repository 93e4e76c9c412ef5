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
