CREATE TABLE service_answer (
    key TEXT PRIMARY KEY,
    answer TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
