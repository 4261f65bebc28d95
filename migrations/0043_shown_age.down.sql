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
DELETE FROM nearby_traits WHERE trait >= 'born:' AND trait < 'born;';
ALTER TABLE users DROP COLUMN show_age;
