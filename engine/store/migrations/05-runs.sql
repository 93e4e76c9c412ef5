-- Answers from before runs were saved become runs with an unknown score. Only those of models and authors were saved.
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
