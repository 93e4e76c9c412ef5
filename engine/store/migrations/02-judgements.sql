CREATE TABLE verdict (
    key TEXT PRIMARY KEY,
    judgement TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
