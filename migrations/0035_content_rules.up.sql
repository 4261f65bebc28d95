-- The operator's rules about what people write. Each change makes a version of all of them.
CREATE TABLE rule_versions (
  version    INTEGER PRIMARY KEY NOT NULL,
  change     TEXT NOT NULL CHECK (change IN ('created', 'changed', 'deleted', 'imported')),
  rule_id    TEXT,                 -- the one that was changed; null for an import
  rule_count INTEGER NOT NULL,
  rules      TEXT NOT NULL,        -- JSON
  actor_id   TEXT,                 -- null for the command line
  at         INTEGER NOT NULL
);

-- What was sent to people who had not written yet, by a keyed hash, while a rule counts repeated texts.
CREATE TABLE openers (
  user_id   TEXT NOT NULL REFERENCES users (id),
  text_hash TEXT NOT NULL,
  chat_id   TEXT NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (user_id, text_hash, chat_id)
) WITHOUT ROWID;
CREATE INDEX openers_by_time ON openers (at);

-- What a rule tells the recipient of a message.
ALTER TABLE messages ADD COLUMN caution TEXT;

-- 'rule' for a report by a rule; null: what it reports.
ALTER TABLE reports ADD COLUMN kind TEXT;
