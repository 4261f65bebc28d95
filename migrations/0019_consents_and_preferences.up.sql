-- The newest consent of a kind, by the order of writing: the index ends in the rowid.
CREATE INDEX consent_log_newest ON consent_log (user_id, kind);

-- What somebody likes, as it is searched by: whatever its case, as only the server can tell for all of Unicode.
-- `folded_of` says of which lists that is. Where they were changed since, by a release that knows nothing of it, the lists
-- count as they stand, until a job has folded them.
ALTER TABLE preferences ADD COLUMN folded TEXT NOT NULL DEFAULT '[]';
ALTER TABLE preferences ADD COLUMN folded_of TEXT NOT NULL DEFAULT '[][][]';
CREATE INDEX preferences_unfolded ON preferences (user_id) WHERE folded_of <> drinks || activities || purposes;

DROP VIEW visible_traits;
DROP VIEW traits;
CREATE VIEW traits (user_id, trait) AS
  SELECT id, 'gender:' || gender FROM users WHERE gender IS NOT NULL
  UNION ALL SELECT u.id, 'language:' || coalesce(p.language, 'en') FROM users AS u LEFT JOIN preferences AS p ON p.user_id = u.id
  UNION ALL SELECT user_id, value FROM preferences, json_each(folded) WHERE folded_of = drinks || activities || purposes
  UNION ALL SELECT user_id, 'drinks:' || value FROM preferences, json_each(drinks) WHERE folded_of <> drinks || activities || purposes
  UNION ALL SELECT user_id, 'activities:' || value FROM preferences, json_each(activities) WHERE folded_of <> drinks || activities || purposes
  UNION ALL SELECT user_id, 'purposes:' || value FROM preferences, json_each(purposes) WHERE folded_of <> drinks || activities || purposes;
CREATE VIEW visible_traits (user_id, trait, square, location_id) AS
  SELECT l.user_id, t.trait, l.square, l.id FROM locations AS l JOIN traits AS t ON t.user_id = l.user_id
  WHERE l.visible = 1 AND l.square IS NOT NULL;
