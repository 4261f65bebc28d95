-- Whether the messenger's bot may write to a user, who has said so to the bot or to the mini-app.
CREATE TABLE bot_permissions (
  user_id      TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  messenger_id TEXT NOT NULL,      -- the chat with the bot; it counts only while it is the account's
  state        TEXT NOT NULL CHECK (state IN ('granted', 'stopped', 'refused')),
  language     TEXT NOT NULL,
  changed_at   INTEGER NOT NULL,
  told_at      INTEGER,            -- moderators: when they were last told how many reports are open
  told_until   INTEGER             -- and how new the newest of these reports was
) WITHOUT ROWID;
CREATE INDEX bot_permissions_of_messenger ON bot_permissions (messenger_id);

-- The updates of the bot that were acted on: the messenger may deliver one twice.
CREATE TABLE bot_updates (
  update_id INTEGER PRIMARY KEY NOT NULL,
  at        INTEGER NOT NULL
);
CREATE INDEX bot_updates_by_time ON bot_updates (at);
