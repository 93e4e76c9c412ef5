-- What a headline shows beside the score: the number of judged points, the number of points, and counted remarks.
ALTER TABLE run ADD COLUMN judged INTEGER;
ALTER TABLE run ADD COLUMN points INTEGER;
ALTER TABLE run ADD COLUMN remarks TEXT NOT NULL DEFAULT '{}';
