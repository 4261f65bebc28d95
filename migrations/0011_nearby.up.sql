-- All that a search without filters reads. Hidden people are not in it.
CREATE INDEX locations_nearby ON locations (square, latitude, longitude, updated_at, user_id) WHERE visible = 1;
CREATE INDEX users_suspended ON users (id, suspended_until) WHERE suspended_until IS NOT NULL;

-- What people can be searched by.
CREATE VIEW traits (user_id, trait) AS
  SELECT id, 'gender:' || gender FROM users WHERE gender IS NOT NULL
  UNION ALL SELECT u.id, 'language:' || coalesce(p.language, 'en') FROM users AS u LEFT JOIN preferences AS p ON p.user_id = u.id
  UNION ALL SELECT user_id, 'drinks:' || value FROM preferences, json_each(drinks)
  UNION ALL SELECT user_id, 'activities:' || value FROM preferences, json_each(activities)
  UNION ALL SELECT user_id, 'purposes:' || value FROM preferences, json_each(purposes);

CREATE VIEW visible_traits (user_id, trait, square, location_id) AS
  SELECT l.user_id, t.trait, l.square, l.id FROM locations AS l JOIN traits AS t ON t.user_id = l.user_id
  WHERE l.visible = 1 AND l.square IS NOT NULL;

-- The same, indexed: the one in a thousand who drinks absinthe is found without reading the other 999. Whoever changes
-- what a user is searched by does so through storage/sqlite/traits.ts, which keeps the two equal.
CREATE TABLE nearby_traits (
  trait       TEXT NOT NULL,
  square      INTEGER NOT NULL,
  location_id INTEGER NOT NULL,
  PRIMARY KEY (trait, square, location_id)
) WITHOUT ROWID;
INSERT INTO nearby_traits SELECT trait, square, location_id FROM visible_traits ORDER BY 1, 2, 3;
