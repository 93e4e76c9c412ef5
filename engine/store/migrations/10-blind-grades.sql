-- Samples of judged pairs, and what people graded without seeing the verdicts.
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
