-- What a search shows of people.
CREATE VIEW visible_people (
  square, user_id, name, city, bio, gender, photo, drinks, activities, purposes, language, rating_avg, reviews_count, created_at,
  hidden, shown_birth_month
) AS
  SELECT l.square, u.id, u.name, u.city, u.bio, u.gender, u.photo, p.drinks, p.activities, p.purposes, coalesce(p.language, 'en'),
    s.rating_avg, coalesce(s.count, 0), u.created_at, u.hidden, CASE WHEN u.show_age THEN u.birth_month END
  FROM locations AS l JOIN users AS u ON u.id = l.user_id
  LEFT JOIN preferences AS p ON p.user_id = u.id LEFT JOIN user_stats AS s ON s.user_id = u.id
  WHERE l.visible AND l.square IS NOT NULL;

-- The same in one row for each: one look-up instead of three, without a plan of joins. It is filled in the order of the grid,
-- so that the fifty of an answer lie on a few pages.
CREATE TABLE nearby_people (
  square            bigint NOT NULL,
  user_id           text COLLATE "C" PRIMARY KEY,
  name              text,
  city              text,
  bio               text,
  gender            text,
  photo             text,
  drinks            text,
  activities        text,
  purposes          text,
  language          text NOT NULL,
  rating_avg        double precision,
  reviews_count     bigint NOT NULL,
  created_at        bigint NOT NULL,
  hidden            text,
  shown_birth_month text
);

-- Triggers keep the two equal, as no write can pass them by: of a dozen kinds that change a profile, one that forgot this
-- would show what its owner has hidden or erased. Nodes of the release before this one run them too.
-- Writes about one person come one after the other: each holds the account's row, or the row of their reviews.
CREATE FUNCTION sync_nearby_person() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  person text COLLATE "C";
BEGIN
  IF TG_TABLE_NAME = 'users' THEN person := new.id;
  ELSIF TG_OP = 'DELETE' THEN person := old.user_id;
  ELSE person := new.user_id;
  END IF;
  DELETE FROM nearby_people WHERE user_id = person;
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = person;
  RETURN NULL;
END $$;
CREATE TRIGGER nearby_people_located AFTER INSERT OR DELETE ON locations
  FOR EACH ROW EXECUTE FUNCTION sync_nearby_person();
-- Mostly a position is published where it was.
CREATE TRIGGER nearby_people_moved AFTER UPDATE OF square, visible ON locations
  FOR EACH ROW WHEN (new.square IS DISTINCT FROM old.square OR new.visible <> old.visible) EXECUTE FUNCTION sync_nearby_person();
CREATE TRIGGER nearby_people_changed
  AFTER UPDATE OF name, city, bio, gender, photo, created_at, hidden, birth_month, show_age ON users
  FOR EACH ROW EXECUTE FUNCTION sync_nearby_person();
CREATE TRIGGER nearby_people_preferring
  AFTER INSERT OR DELETE OR UPDATE OF drinks, activities, purposes, language ON preferences
  FOR EACH ROW EXECUTE FUNCTION sync_nearby_person();
CREATE TRIGGER nearby_people_rated AFTER INSERT OR DELETE ON user_stats
  FOR EACH ROW EXECUTE FUNCTION sync_nearby_person();
CREATE TRIGGER nearby_people_rated_again AFTER UPDATE OF rating_avg, count ON user_stats
  FOR EACH ROW WHEN (new.rating_avg IS DISTINCT FROM old.rating_avg OR new.count <> old.count)
  EXECUTE FUNCTION sync_nearby_person();

INSERT INTO nearby_people SELECT * FROM visible_people ORDER BY square, user_id;
