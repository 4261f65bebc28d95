-- Whether somebody's age is shown. Those who show it are found by year and month of birth: an age from 30 to 40 is some years and months.
ALTER TABLE users ADD COLUMN show_age INTEGER NOT NULL DEFAULT 0;

DROP VIEW visible_traits;
DROP VIEW traits;
CREATE VIEW traits (user_id, trait) AS
  SELECT id, 'gender:' || gender FROM users WHERE gender IS NOT NULL
  UNION ALL SELECT u.id, 'language:' || coalesce(p.language, 'en') FROM users AS u LEFT JOIN preferences AS p ON p.user_id = u.id
  UNION ALL SELECT user_id, value FROM preferences, json_each(folded) WHERE folded_of = drinks || activities || purposes
  UNION ALL SELECT user_id, 'drinks:' || value FROM preferences, json_each(drinks) WHERE folded_of <> drinks || activities || purposes
  UNION ALL SELECT user_id, 'activities:' || value FROM preferences, json_each(activities) WHERE folded_of <> drinks || activities || purposes
  UNION ALL SELECT user_id, 'purposes:' || value FROM preferences, json_each(purposes) WHERE folded_of <> drinks || activities || purposes
  UNION ALL SELECT id, 'born:' || substr(birth_month, 1, 4) FROM users WHERE show_age AND birth_month IS NOT NULL
  UNION ALL SELECT id, 'born:' || birth_month FROM users WHERE show_age AND birth_month IS NOT NULL;
CREATE VIEW visible_traits (user_id, trait, square, location_id) AS
  SELECT l.user_id, t.trait, l.square, l.id FROM locations AS l JOIN traits AS t ON t.user_id = l.user_id
  WHERE l.visible = 1 AND l.square IS NOT NULL;
