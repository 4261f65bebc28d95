-- Times are milliseconds since 1970 in UTC; ids are UUID strings.
CREATE TABLE users (
  id            TEXT PRIMARY KEY NOT NULL,
  email         TEXT UNIQUE,          -- lower case, so that addresses compare without case
  phone         TEXT UNIQUE,          -- E.164
  messenger_id  TEXT UNIQUE,
  password_hash TEXT,
  name          TEXT,                 -- null once the account is erased
  city          TEXT,
  bio           TEXT,
  gender        TEXT CHECK (gender IN ('female', 'male', 'other')),
  photo         TEXT,                 -- id of an uploaded image, or an https URL
  role          TEXT NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'moderator', 'admin')),
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  deleted_at    INTEGER               -- an erased account keeps its row, so that chats and reviews still point somewhere
);

-- Append-only. The last row of a kind is what the user says now.
CREATE TABLE consent_log (
  id          TEXT PRIMARY KEY NOT NULL,
  user_id     TEXT NOT NULL REFERENCES users (id),
  kind        TEXT NOT NULL CHECK (kind IN ('terms', 'privacy', 'disclaimer', 'marketing')),
  accepted    INTEGER NOT NULL,
  version     TEXT NOT NULL,
  text_hash   TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  user_agent  TEXT,
  address     TEXT                    -- truncated: /24 of IPv4, /48 of IPv6
);
CREATE INDEX consent_log_by_user ON consent_log (user_id, kind, recorded_at, id);

CREATE TABLE audit_log (
  id         TEXT PRIMARY KEY NOT NULL,
  at         INTEGER NOT NULL,
  actor_id   TEXT,                    -- null where nobody is known, as for a failed login
  action     TEXT NOT NULL,
  subject_id TEXT,                    -- the user, session, report … that was acted on
  metadata   TEXT NOT NULL            -- a JSON object, as given
);
CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, at, id);
CREATE INDEX audit_log_by_subject ON audit_log (subject_id, at, id);
