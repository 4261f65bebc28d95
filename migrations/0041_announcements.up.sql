-- What admins tell everybody, in the app.
CREATE TABLE announcements (
  id         TEXT PRIMARY KEY NOT NULL,
  text       TEXT NOT NULL,
  until      INTEGER,                -- null: until it is deleted
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX announcements_by_time ON announcements (created_at, id);
