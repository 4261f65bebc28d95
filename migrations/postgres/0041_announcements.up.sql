-- What admins tell everybody, in the app.
CREATE TABLE announcements (
  id         text COLLATE "C" PRIMARY KEY,
  text       text NOT NULL,
  until      bigint,                 -- null: until it is deleted
  created_at bigint NOT NULL
);
CREATE INDEX announcements_by_time ON announcements (created_at, id);
