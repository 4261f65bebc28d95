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
DELETE FROM nearby_traits WHERE trait >= 'born:' AND trait < 'born;';
ALTER TABLE users DROP COLUMN show_age;
