-- What leaves the server later, such as mails. A row is written in the transaction that causes it, and removed once it was
-- delivered or given up.
CREATE TABLE outbox (
  id         TEXT PRIMARY KEY NOT NULL,
  kind       TEXT NOT NULL,
  user_id    TEXT REFERENCES users (id),   -- whom it concerns; null where it outlives the account
  payload    TEXT NOT NULL,                -- JSON; no token
  created_at INTEGER NOT NULL,
  due_at     INTEGER NOT NULL,             -- not before; while a node delivers it, the end of that node's lease
  leased_by  TEXT,                         -- the node that delivers it
  attempts   INTEGER NOT NULL DEFAULT 0,   -- that have failed
  last_error TEXT
) WITHOUT ROWID;
CREATE INDEX outbox_due ON outbox (kind, due_at);
CREATE INDEX outbox_of_user ON outbox (user_id) WHERE user_id IS NOT NULL;
