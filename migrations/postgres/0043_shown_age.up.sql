-- Whether somebody's age is shown. Those who show it are found by year and month of birth: an age from 30 to 40 is some years and months.
ALTER TABLE users ADD COLUMN show_age boolean NOT NULL DEFAULT FALSE;

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
    WHERE folded_of <> drinks || activities || purposes
  UNION ALL SELECT id, 'born:' || substr(birth_month, 1, 4) FROM users WHERE show_age AND birth_month IS NOT NULL
  UNION ALL SELECT id, 'born:' || birth_month FROM users WHERE show_age AND birth_month IS NOT NULL;
