-- The newest consent of a kind, by the order of writing; and all of them, page by page, for an export.
CREATE INDEX consent_log_newest ON consent_log (user_id, kind COLLATE "C", seq);
CREATE INDEX consent_log_by_user ON consent_log (user_id, kind COLLATE "C", recorded_at ASC, id);

-- What somebody likes, as it is searched by: whatever its case, as only the server can tell for all of Unicode.
-- `folded_of` says of which lists that is. Where they were changed since, by a release that knows nothing of it, the lists
-- count as they stand, until a job has folded them.
ALTER TABLE preferences ADD COLUMN folded text NOT NULL DEFAULT '[]';
ALTER TABLE preferences ADD COLUMN folded_of text NOT NULL DEFAULT '[][][]';
CREATE INDEX preferences_unfolded ON preferences (user_id) WHERE folded_of <> drinks || activities || purposes;

CREATE OR REPLACE VIEW traits (user_id, trait) AS
  SELECT id, 'gender:' || gender FROM users WHERE gender IS NOT NULL
  UNION ALL SELECT u.id, 'language:' || coalesce(p.language, 'en') FROM users AS u LEFT JOIN preferences AS p ON p.user_id = u.id
  UNION ALL SELECT user_id, value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(folded::jsonb) AS t (value)
    WHERE folded_of = drinks || activities || purposes
  UNION ALL SELECT user_id, 'drinks:' || value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(drinks::jsonb) AS t (value)
    WHERE folded_of <> drinks || activities || purposes
  UNION ALL SELECT user_id, 'activities:' || value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(activities::jsonb) AS t (value)
    WHERE folded_of <> drinks || activities || purposes
  UNION ALL SELECT user_id, 'purposes:' || value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(purposes::jsonb) AS t (value)
    WHERE folded_of <> drinks || activities || purposes;
