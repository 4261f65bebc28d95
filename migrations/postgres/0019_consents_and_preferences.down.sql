CREATE OR REPLACE VIEW traits (user_id, trait) AS
  SELECT id, 'gender:' || gender FROM users WHERE gender IS NOT NULL
  UNION ALL SELECT u.id, 'language:' || coalesce(p.language, 'en') FROM users AS u LEFT JOIN preferences AS p ON p.user_id = u.id
  UNION ALL SELECT user_id, 'drinks:' || value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(drinks::jsonb) AS t (value)
  UNION ALL SELECT user_id, 'activities:' || value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(activities::jsonb) AS t (value)
  UNION ALL SELECT user_id, 'purposes:' || value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(purposes::jsonb) AS t (value);
DELETE FROM nearby_traits;
INSERT INTO nearby_traits SELECT trait, square, user_id FROM visible_traits;

DROP INDEX preferences_unfolded;
ALTER TABLE preferences DROP COLUMN folded_of;
ALTER TABLE preferences DROP COLUMN folded;
DROP INDEX consent_log_by_user;
DROP INDEX consent_log_newest;
