CREATE TABLE answer (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    stop_reason TEXT NOT NULL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    model TEXT,
    created TEXT NOT NULL
) STRICT;
