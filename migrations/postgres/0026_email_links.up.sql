ALTER TABLE users ADD COLUMN email_verified_at bigint;
ALTER TABLE users ADD COLUMN email_asked_at bigint;   -- when the registration's mail asked to verify the address; null where none did

-- The one-time links of mails. A newer one takes the place of an older one of its kind, but for undo: whoever has stolen an
-- account must not end its owner's way back by changing the address twice.
CREATE TABLE email_links (
  hash       text COLLATE "C" PRIMARY KEY NOT NULL,   -- SHA-256 of the token, as hex
  user_id    text COLLATE "C" NOT NULL REFERENCES users (id),
  kind       text COLLATE "C" NOT NULL CHECK (kind IN ('verify', 'reset', 'change', 'undo')),
  email      text,                        -- the address that the link proves, or brings back; null for a link of the operator
  expires_at bigint NOT NULL
);
CREATE UNIQUE INDEX email_links_newest ON email_links (user_id, kind) WHERE kind <> 'undo';
CREATE INDEX email_links_of_user ON email_links (user_id);
CREATE INDEX email_links_by_age ON email_links (expires_at ASC);
