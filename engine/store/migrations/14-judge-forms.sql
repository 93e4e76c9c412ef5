-- How a judge was asked belongs to its verdict: by another scale, the same judge has another one. Of earlier verdicts
-- it was not recorded.
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
