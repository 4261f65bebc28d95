-- Whom a reported review is of, as long as the evidence says so. A generated column, so that it goes with the evidence, and
-- so that reports which the release before files have it too.
ALTER TABLE reports ADD COLUMN reviewed_id text COLLATE "C"
  GENERATED ALWAYS AS (CASE WHEN target = 'review' THEN evidence::json -> 'review' ->> 'reviewed_id' END) STORED;

-- The keys that these tables have in SQLite, so that both engines find their rows by the same statements.
CREATE UNIQUE INDEX message_versions_by_message ON message_versions (message_id, at);
CREATE UNIQUE INDEX consent_log_by_id ON consent_log (id);
CREATE UNIQUE INDEX appeals_by_notice ON appeals (notice_id);
CREATE UNIQUE INDEX pending_reviews_by_id ON pending_reviews (id);
