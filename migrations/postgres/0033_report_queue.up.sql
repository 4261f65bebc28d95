-- When a report is to be decided, who works on it, and a decision that may still be taken back.
ALTER TABLE reports ADD COLUMN due_at bigint;                     -- null: a day after it was filed
ALTER TABLE reports ADD COLUMN claimed_by text COLLATE "C";       -- the moderator who works on it
ALTER TABLE reports ADD COLUMN claimed_until bigint;
ALTER TABLE reports ADD COLUMN pending text;                      -- JSON, a decision that waits
ALTER TABLE reports ADD COLUMN pending_until bigint;              -- when it takes effect
CREATE INDEX reports_by_due ON reports (status, coalesce(due_at, created_at + 86400000), id);
CREATE INDEX reports_all_by_due ON reports (coalesce(due_at, created_at + 86400000) ASC, id ASC);

ALTER TABLE notices ADD COLUMN strikes bigint;                    -- what the decision counts; null: nothing

-- Texts of moderators for statements of reasons.
CREATE TABLE templates (
  id         text COLLATE "C" PRIMARY KEY,
  name       text COLLATE "C" NOT NULL,
  language   text COLLATE "C" NOT NULL,
  text       text NOT NULL,
  created_at bigint NOT NULL,
  UNIQUE (name, language)
);
