-- Answers that are saved already may have been seen: only those after `began` can be fresh.
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
