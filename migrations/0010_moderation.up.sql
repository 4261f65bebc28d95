ALTER TABLE users ADD COLUMN suspended_until INTEGER;   -- far in the future: without end
ALTER TABLE users ADD COLUMN suspended_reason TEXT;
ALTER TABLE users ADD COLUMN suspension_id TEXT;         -- the notice that suspended: an appeal lifts only what it is about

-- What a message said before it was edited or deleted. For moderators only, in the evidence of a report; erased after 30 days.
CREATE TABLE message_versions (
  message_id TEXT NOT NULL REFERENCES messages (id),
  at         INTEGER NOT NULL,                -- until when it stood
  text       TEXT NOT NULL,
  PRIMARY KEY (message_id, at)
) WITHOUT ROWID;
CREATE INDEX message_versions_by_age ON message_versions (at);

-- A decision of moderation, told to the user concerned: the statement of reasons.
CREATE TABLE notices (
  id         TEXT PRIMARY KEY NOT NULL,
  user_id    TEXT NOT NULL REFERENCES users (id),
  report_id  TEXT REFERENCES reports (id),
  action     TEXT NOT NULL CHECK (action IN ('warn', 'remove_content', 'suspend', 'unsuspend', 'appeal_upheld', 'appeal_rejected')),
  reason     TEXT NOT NULL,
  note       TEXT,                            -- for moderators only
  until      INTEGER,                         -- null: not limited
  created_at INTEGER NOT NULL
);
CREATE INDEX notices_of_user ON notices (user_id, created_at, id);
CREATE INDEX notices_by_report ON notices (report_id) WHERE report_id IS NOT NULL;

CREATE TABLE appeals (
  id          TEXT PRIMARY KEY NOT NULL,
  notice_id   TEXT NOT NULL UNIQUE REFERENCES notices (id),   -- one appeal for each decision
  user_id     TEXT NOT NULL REFERENCES users (id),
  text        TEXT NOT NULL,
  status      TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'upheld', 'rejected')),
  created_at  INTEGER NOT NULL,
  resolved_at INTEGER,
  resolved_by TEXT REFERENCES users (id),
  note        TEXT
);
CREATE INDEX appeals_queue ON appeals (status, created_at, id);
CREATE INDEX appeals_of_user ON appeals (user_id, created_at, id);
CREATE INDEX appeals_by_time ON appeals (created_at, id);

-- Images that the evidence of a report shows: their files stay while a row of them does.
CREATE TABLE evidence_photos (
  media_id  TEXT NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  PRIMARY KEY (media_id, report_id)
) WITHOUT ROWID;
CREATE INDEX evidence_photos_by_report ON evidence_photos (report_id);
