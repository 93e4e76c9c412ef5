-- A judge may reply differently to the same prompt: each run refers to its own replies, not to the newest of the key.
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
