-- What leaves the server later, such as mails. A row is written in the transaction that causes it, and removed once it was
-- delivered or given up.
CREATE TABLE outbox (
  id         text COLLATE "C" PRIMARY KEY,
  kind       text COLLATE "C" NOT NULL,
  user_id    text COLLATE "C" REFERENCES users (id),   -- whom it concerns; null where it outlives the account
  payload    text NOT NULL,                            -- JSON; no token
  created_at bigint NOT NULL,
  due_at     bigint NOT NULL,                          -- not before; while a node delivers it, the end of that node's lease
  leased_by  text,                                     -- the node that delivers it
  attempts   bigint NOT NULL DEFAULT 0,                -- that have failed
  last_error text
);
CREATE INDEX outbox_due ON outbox (kind, due_at ASC);
CREATE INDEX outbox_of_user ON outbox (user_id) WHERE user_id IS NOT NULL;
