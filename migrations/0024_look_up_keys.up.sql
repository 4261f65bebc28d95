-- Whom a reported review is of, as long as the evidence says so. A generated column, so that it goes with the evidence, and
-- so that reports which the release before files have it too.
ALTER TABLE reports ADD COLUMN reviewed_id TEXT
  GENERATED ALWAYS AS (CASE WHEN target = 'review' THEN evidence ->> '$.review.reviewed_id' END) VIRTUAL;

-- By the start of the day, as in PostgreSQL.
DROP INDEX reviews_of_user;
CREATE INDEX reviews_of_user ON reviews (reviewed_id, created_at - created_at % 86400000, id);
