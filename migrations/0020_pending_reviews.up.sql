-- Anonymous reviews that do not show yet. A table of their own: whatever reads reviews cannot show them early, nor can the
-- release before. That one does not clear this table when it erases an account: the job that shows a review looks at both
-- accounts again.
CREATE TABLE pending_reviews (
  chat_id     TEXT PRIMARY KEY NOT NULL REFERENCES chats (id),
  id          TEXT NOT NULL UNIQUE,
  reviewer_id TEXT REFERENCES users (id),     -- null once the author's account is erased
  reviewed_id TEXT NOT NULL REFERENCES users (id),
  rating      INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  text        TEXT,
  created_at  INTEGER NOT NULL,
  appears_at  INTEGER NOT NULL
);
CREATE INDEX pending_reviews_by_time ON pending_reviews (appears_at);
CREATE INDEX pending_reviews_by_author ON pending_reviews (reviewer_id);
CREATE INDEX pending_reviews_of_user ON pending_reviews (reviewed_id);

-- A user's unread messages are summed up over the chats that have some, which are few.
CREATE INDEX chats_unread_a ON chats (user_a) WHERE unread_a > 0;
CREATE INDEX chats_unread_b ON chats (user_b) WHERE unread_b > 0;

-- Who decided first does not decide the appeal, where there is somebody else.
ALTER TABLE notices ADD COLUMN decided_by TEXT;
UPDATE notices SET decided_by = coalesce(
  (SELECT resolved_by FROM reports WHERE id = notices.report_id),
  (SELECT actor_id FROM audit_log
   WHERE subject_id = notices.user_id AND action = 'suspend' AND metadata ->> '$.notice_id' = notices.id));
CREATE INDEX users_with_role ON users (id) WHERE role <> 'user';

-- The author of a review is named by its evidence alone, and not by an appeal against its removal either.
UPDATE audit_log SET actor_id = NULL
WHERE action = 'appeal' AND subject_id IN (
  SELECT a.id FROM appeals a JOIN notices n ON n.id = a.notice_id JOIN reports r ON r.id = n.report_id
  WHERE r.target = 'review');
UPDATE audit_log SET subject_id = NULL
WHERE action = 'appeal_resolved' AND metadata ->> '$.appeal_id' IN (
  SELECT a.id FROM appeals a JOIN notices n ON n.id = a.notice_id JOIN reports r ON r.id = n.report_id
  WHERE r.target = 'review');
