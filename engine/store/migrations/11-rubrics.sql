-- The rubric that scored a run, once for all runs with the same one (`engine.store.run_history`).
CREATE TABLE rubric (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL
) STRICT;
ALTER TABLE run ADD COLUMN rubric_content INTEGER REFERENCES rubric (id);
