-- Notifications: where people get them, what they want, and what is shown now.
CREATE TABLE channels (
  id                text COLLATE "C" PRIMARY KEY,
  user_id           text COLLATE "C" NOT NULL REFERENCES users (id),
  session_id        text COLLATE "C" NOT NULL,   -- whose end removes it
  kind              text COLLATE "C" NOT NULL,   -- webpush, fcm, apns or telegram
  target            text NOT NULL,               -- JSON; secret: whoever has it can send to the device
  target_hash       text COLLATE "C" NOT NULL,   -- a device is one person's
  label             text NOT NULL,
  created_at        bigint NOT NULL,
  last_delivered_at bigint,
  failing_since     bigint
);
CREATE UNIQUE INDEX channels_target ON channels (target_hash);
CREATE INDEX channels_of_user ON channels (user_id);
CREATE INDEX channels_of_session ON channels (session_id);

-- None where nothing was chosen.
CREATE TABLE notification_preferences (
  user_id    text COLLATE "C" PRIMARY KEY REFERENCES users (id),
  messages   boolean NOT NULL DEFAULT true,
  chats      boolean NOT NULL DEFAULT true,
  reviews    boolean NOT NULL DEFAULT true,
  digest     text NOT NULL DEFAULT 'off',
  preview    text NOT NULL DEFAULT 'name',
  quiet_from bigint,                             -- minutes of the day in quiet_zone
  quiet_to   bigint,
  quiet_zone text,
  digest_at  bigint                              -- when the last digest was made
);
CREATE INDEX notification_digests ON notification_preferences (user_id) WHERE digest = 'daily';

-- What a device shows, so that it can be changed and taken back.
CREATE TABLE shown_notifications (
  channel_id   text COLLATE "C" NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  tag          text COLLATE "C" NOT NULL,
  user_id      text COLLATE "C" NOT NULL,
  ref          text NOT NULL,                    -- the id of the newest thing that it is about
  content_hash text NOT NULL,
  shown        text,                             -- what its provider calls it
  at           bigint NOT NULL,
  PRIMARY KEY (channel_id, tag)
);
CREATE INDEX shown_notifications_of_user ON shown_notifications (user_id, tag);
CREATE INDEX shown_notifications_by_age ON shown_notifications (at);

-- Until when each of the two has muted the chat.
ALTER TABLE chats ADD COLUMN muted_a bigint;
ALTER TABLE chats ADD COLUMN muted_b bigint;

-- One parcel waits for one slot. What asks for it while it is delivered makes it due again afterwards, at again_at.
ALTER TABLE outbox ADD COLUMN slot text COLLATE "C";
ALTER TABLE outbox ADD COLUMN again_at bigint;
-- The provider, where a kind has several: one that is down holds up no other.
ALTER TABLE outbox ADD COLUMN lane text COLLATE "C";
CREATE UNIQUE INDEX outbox_slot ON outbox (slot) WHERE slot IS NOT NULL;
