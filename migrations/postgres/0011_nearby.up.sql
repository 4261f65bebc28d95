-- All that a search without filters reads. Hidden people are not in it.
CREATE INDEX locations_nearby ON locations (square ASC, latitude ASC, longitude ASC, updated_at ASC, user_id ASC) WHERE visible;
CREATE INDEX users_suspended ON users (id, suspended_until) WHERE suspended_until IS NOT NULL;

-- What people can be searched by.
CREATE VIEW traits (user_id, trait) AS
  SELECT id, 'gender:' || gender FROM users WHERE gender IS NOT NULL
  UNION ALL SELECT u.id, 'language:' || coalesce(p.language, 'en') FROM users AS u LEFT JOIN preferences AS p ON p.user_id = u.id
  UNION ALL SELECT user_id, 'drinks:' || value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(drinks::jsonb) AS t (value)
  UNION ALL SELECT user_id, 'activities:' || value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(activities::jsonb) AS t (value)
  UNION ALL SELECT user_id, 'purposes:' || value FROM preferences CROSS JOIN LATERAL jsonb_array_elements_text(purposes::jsonb) AS t (value);

CREATE VIEW visible_traits (user_id, trait, square) AS
  SELECT l.user_id, t.trait, l.square FROM locations AS l JOIN traits AS t ON t.user_id = l.user_id
  WHERE l.visible AND l.square IS NOT NULL;

-- The same, indexed: the one in a thousand who drinks absinthe is found without reading the other 999. Whoever changes
-- what a user is searched by does so through storage/postgres/traits.ts, which keeps the two equal.
CREATE TABLE nearby_traits (
  trait   text COLLATE "C" NOT NULL,
  square  bigint NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (trait, square, user_id)            -- sharded by user_id
);
CREATE INDEX nearby_traits_of_user ON nearby_traits (user_id);
INSERT INTO nearby_traits SELECT trait, square, user_id FROM visible_traits;
