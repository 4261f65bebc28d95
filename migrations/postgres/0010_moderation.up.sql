ALTER TABLE users ADD COLUMN suspended_until bigint;     -- far in the future: without end
ALTER TABLE users ADD COLUMN suspended_reason text;
ALTER TABLE users ADD COLUMN suspension_id text;         -- the notice that suspended: an appeal lifts only what it is about

-- What a message said before it was edited or deleted. For moderators only, in the evidence of a report; erased after 30 days.
CREATE TABLE message_versions (
  chat_id    text COLLATE "C" NOT NULL REFERENCES chats (id),   -- the message's, so that both are in one place
  message_id text COLLATE "C" NOT NULL,
  at         bigint NOT NULL,                     -- until when it stood
  text       text NOT NULL,
  PRIMARY KEY (chat_id, message_id, at)
);
CREATE INDEX message_versions_by_age ON message_versions (at ASC);

-- A decision of moderation, told to the user concerned: the statement of reasons.
CREATE TABLE notices (
  user_id    text COLLATE "C" NOT NULL REFERENCES users (id),
  id         text COLLATE "C" NOT NULL,
  report_id  text COLLATE "C",
  action     text NOT NULL CHECK (action IN ('warn', 'remove_content', 'suspend', 'unsuspend', 'appeal_upheld', 'appeal_rejected')),
  reason     text NOT NULL,
  note       text,                                -- for moderators only
  until      bigint,                              -- null: not limited
  created_at bigint NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX notices_by_id ON notices (id);
CREATE INDEX notices_of_user ON notices (user_id, created_at, id);
CREATE INDEX notices_by_report ON notices (report_id) WHERE report_id IS NOT NULL;

CREATE TABLE appeals (
  user_id     text COLLATE "C" NOT NULL REFERENCES users (id),
  notice_id   text COLLATE "C" NOT NULL,          -- one appeal for each decision
  id          text COLLATE "C" NOT NULL,
  text        text NOT NULL,
  status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'upheld', 'rejected')),
  created_at  bigint NOT NULL,
  resolved_at bigint,
  resolved_by text COLLATE "C",
  note        text,
  PRIMARY KEY (user_id, notice_id)
);
CREATE INDEX appeals_by_id ON appeals (id);
CREATE INDEX appeals_queue ON appeals (status, created_at, id);
CREATE INDEX appeals_of_user ON appeals (user_id, created_at, id);
CREATE INDEX appeals_by_time ON appeals (created_at ASC, id ASC);

-- Images that the evidence of a report shows: their files stay while a row of them does. Whoever removes an image's row
-- removes those of it here too.
CREATE TABLE evidence_photos (
  report_id text COLLATE "C" NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  media_id  text COLLATE "C" NOT NULL,
  PRIMARY KEY (report_id, media_id)
);
CREATE INDEX evidence_photos_by_media ON evidence_photos (media_id);
