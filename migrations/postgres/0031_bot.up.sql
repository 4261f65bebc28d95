-- Whether the messenger's bot may write to a user, who has said so to the bot or to the mini-app.
CREATE TABLE bot_permissions (
  user_id      text COLLATE "C" PRIMARY KEY REFERENCES users (id),
  messenger_id text COLLATE "C" NOT NULL,   -- the chat with the bot; it counts only while it is the account's
  state        text NOT NULL CHECK (state IN ('granted', 'stopped', 'refused')),
  language     text NOT NULL,
  changed_at   bigint NOT NULL,
  told_at      bigint,                      -- moderators: when they were last told how many reports are open
  told_until   bigint                       -- and how new the newest of these reports was
);
CREATE INDEX bot_permissions_of_messenger ON bot_permissions (messenger_id);

-- The updates of the bot that were acted on: the messenger may deliver one twice.
CREATE TABLE bot_updates (
  update_id bigint PRIMARY KEY,
  at        bigint NOT NULL
);
CREATE INDEX bot_updates_by_time ON bot_updates (at);
