-- When a report is to be decided, who works on it, and a decision that may still be taken back.
ALTER TABLE reports ADD COLUMN due_at INTEGER;          -- null: a day after it was filed
ALTER TABLE reports ADD COLUMN claimed_by TEXT;         -- the moderator who works on it
ALTER TABLE reports ADD COLUMN claimed_until INTEGER;
ALTER TABLE reports ADD COLUMN pending TEXT;            -- JSON, a decision that waits
ALTER TABLE reports ADD COLUMN pending_until INTEGER;   -- when it takes effect
CREATE INDEX reports_by_due ON reports (status, coalesce(due_at, created_at + 86400000), id);
CREATE INDEX reports_all_by_due ON reports (coalesce(due_at, created_at + 86400000), id);

ALTER TABLE notices ADD COLUMN strikes INTEGER;         -- what the decision counts; null: nothing

-- Texts of moderators for statements of reasons.
CREATE TABLE templates (
  id         TEXT PRIMARY KEY NOT NULL,
  name       TEXT NOT NULL,
  language   TEXT NOT NULL,
  text       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (name, language)
) WITHOUT ROWID;
