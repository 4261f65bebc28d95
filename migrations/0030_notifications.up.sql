-- Notifications: where people get them, what they want, and what is shown now.
CREATE TABLE channels (
  id                TEXT PRIMARY KEY NOT NULL,
  user_id           TEXT NOT NULL REFERENCES users (id),
  session_id        TEXT NOT NULL,   -- whose end removes it
  kind              TEXT NOT NULL,   -- webpush, fcm, apns or telegram
  target            TEXT NOT NULL,   -- JSON; secret: whoever has it can send to the device
  target_hash       TEXT NOT NULL,   -- a device is one person's
  label             TEXT NOT NULL,
  created_at        INTEGER NOT NULL,
  last_delivered_at INTEGER,
  failing_since     INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX channels_target ON channels (target_hash);
CREATE INDEX channels_of_user ON channels (user_id);
CREATE INDEX channels_of_session ON channels (session_id);

-- None where nothing was chosen.
CREATE TABLE notification_preferences (
  user_id    TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  messages   INTEGER NOT NULL DEFAULT 1,
  chats      INTEGER NOT NULL DEFAULT 1,
  reviews    INTEGER NOT NULL DEFAULT 1,
  digest     TEXT NOT NULL DEFAULT 'off',
  preview    TEXT NOT NULL DEFAULT 'name',
  quiet_from INTEGER,                -- minutes of the day in quiet_zone
  quiet_to   INTEGER,
  quiet_zone TEXT,
  digest_at  INTEGER                 -- when the last digest was made
) WITHOUT ROWID;
CREATE INDEX notification_digests ON notification_preferences (user_id) WHERE digest = 'daily';

-- What a device shows, so that it can be changed and taken back.
CREATE TABLE shown_notifications (
  channel_id   TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  tag          TEXT NOT NULL,
  user_id      TEXT NOT NULL,
  ref          TEXT NOT NULL,        -- the id of the newest thing that it is about
  content_hash TEXT NOT NULL,
  shown        TEXT,                 -- what its provider calls it
  at           INTEGER NOT NULL,
  PRIMARY KEY (channel_id, tag)
) WITHOUT ROWID;
CREATE INDEX shown_notifications_of_user ON shown_notifications (user_id, tag);
CREATE INDEX shown_notifications_by_age ON shown_notifications (at);

-- Until when each of the two has muted the chat.
ALTER TABLE chats ADD COLUMN muted_a INTEGER;
ALTER TABLE chats ADD COLUMN muted_b INTEGER;

-- One parcel waits for one slot. What asks for it while it is delivered makes it due again afterwards, at again_at.
ALTER TABLE outbox ADD COLUMN slot TEXT;
ALTER TABLE outbox ADD COLUMN again_at INTEGER;
-- The provider, where a kind has several: one that is down holds up no other.
ALTER TABLE outbox ADD COLUMN lane TEXT;
CREATE UNIQUE INDEX outbox_slot ON outbox (slot) WHERE slot IS NOT NULL;
