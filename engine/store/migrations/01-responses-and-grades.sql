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
