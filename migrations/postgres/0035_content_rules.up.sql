-- The operator's rules about what people write. Each change makes a version of all of them.
CREATE TABLE rule_versions (
  version    bigint PRIMARY KEY,
  change     text NOT NULL CHECK (change IN ('created', 'changed', 'deleted', 'imported')),
  rule_id    text,                 -- the one that was changed; null for an import
  rule_count bigint NOT NULL,
  rules      text NOT NULL,        -- JSON
  actor_id   text,                 -- null for the command line
  at         bigint NOT NULL
);

-- What was sent to people who had not written yet, by a keyed hash, while a rule counts repeated texts.
CREATE TABLE openers (
  user_id   text COLLATE "C" NOT NULL REFERENCES users (id),
  text_hash text COLLATE "C" NOT NULL,
  chat_id   text COLLATE "C" NOT NULL,
  at        bigint NOT NULL,
  PRIMARY KEY (user_id, text_hash, chat_id)
);
CREATE INDEX openers_by_time ON openers (at);

-- What a rule tells the recipient of a message.
ALTER TABLE messages ADD COLUMN caution text;

-- 'rule' for a report by a rule; null: what it reports.
ALTER TABLE reports ADD COLUMN kind text;
