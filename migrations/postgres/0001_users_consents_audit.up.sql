-- The tables of migrations/0001…, for PostgreSQL and the distributed engines that speak it.
--
-- Times are milliseconds since 1970 in UTC; ids are UUID strings; JSON is text, so that it stays as it was given.
-- Text that is a key, or that something is ordered by, is COLLATE "C": by its bytes, as in SQLite.
-- The first column of a primary key is what the table is sharded by. A foreign key stands only where both tables are
-- sharded by the same thing; what else refers to something is kept in order by the statements. An index that is unique
-- without that column is global: each is marked so.
CREATE TABLE users (
  id            text COLLATE "C" PRIMARY KEY,
  email         text COLLATE "C" UNIQUE,          -- global; lower case, so that addresses compare without case
  phone         text COLLATE "C" UNIQUE,          -- global; E.164
  messenger_id  text COLLATE "C" UNIQUE,          -- global
  password_hash text,
  name          text,                             -- null once the account is erased
  city          text,
  bio           text,
  gender        text CHECK (gender IN ('female', 'male', 'other')),
  photo         text COLLATE "C",                 -- id of an uploaded image, or an https URL
  role          text NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'moderator', 'admin')),
  created_at    bigint NOT NULL,
  updated_at    bigint NOT NULL,
  deleted_at    bigint                            -- an erased account keeps its row, so that chats and reviews still point somewhere
);

-- Append-only. The last row of a kind is what the user says now.
CREATE TABLE consent_log (
  user_id     text COLLATE "C" NOT NULL REFERENCES users (id),
  seq         bigint NOT NULL,                    -- 1, 2, 3 … for each user: the order of writing, whatever the clock does
  id          text COLLATE "C" NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('terms', 'privacy', 'disclaimer', 'marketing')),
  accepted    boolean NOT NULL,
  version     text NOT NULL,
  text_hash   text NOT NULL,
  recorded_at bigint NOT NULL,
  user_agent  text,
  address     text,                               -- truncated: /24 of IPv4, /48 of IPv6
  PRIMARY KEY (user_id, seq)
);

CREATE TABLE audit_log (
  id         text COLLATE "C" PRIMARY KEY,
  at         bigint NOT NULL,
  actor_id   text COLLATE "C",                    -- null where nobody is known, as for a failed login
  action     text NOT NULL,
  subject_id text COLLATE "C",                    -- the user, session, report … that was acted on
  metadata   text NOT NULL                        -- a JSON object, as given
);
CREATE INDEX audit_log_by_time ON audit_log (at ASC, id ASC);
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, at, id);
CREATE INDEX audit_log_by_subject ON audit_log (subject_id, at, id);
