-- An answer is shown when a verdict on it is, it is read when its text is on the screen.
ALTER TABLE shown_answer ADD COLUMN is_read INTEGER NOT NULL DEFAULT 1;
