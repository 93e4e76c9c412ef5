-- Earlier versions saved only whether an answer was cut off, not why it ended. They did not tell a refusal from an
-- answer that a filter withheld, so those answers are requested again.
ALTER TABLE response ADD COLUMN stop_reason TEXT;
ALTER TABLE response ADD COLUMN stop_word TEXT;
UPDATE response SET stop_reason = 'length' WHERE cut_off = 1;
ALTER TABLE response DROP COLUMN cut_off;
ALTER TABLE answer ADD COLUMN stop_word TEXT NOT NULL DEFAULT '';
DELETE FROM answer WHERE stop_reason = 'refused';
ALTER TABLE run ADD COLUMN stop_reason TEXT;
ALTER TABLE run ADD COLUMN stop_word TEXT;
UPDATE run SET stop_reason = 'length' WHERE response IN (SELECT id FROM response WHERE stop_reason = 'length');
