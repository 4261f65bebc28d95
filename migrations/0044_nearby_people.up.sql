-- What a search shows of people.
CREATE VIEW visible_people (
  square, user_id, name, city, bio, gender, photo, drinks, activities, purposes, language, rating_avg, reviews_count, created_at,
  hidden, shown_birth_month
) AS
  SELECT l.square, u.id, u.name, u.city, u.bio, u.gender, u.photo, p.drinks, p.activities, p.purposes, coalesce(p.language, 'en'),
    s.rating_avg, coalesce(s.count, 0), u.created_at, u.hidden, CASE WHEN u.show_age THEN u.birth_month END
  FROM locations AS l JOIN users AS u ON u.id = l.user_id
  LEFT JOIN preferences AS p ON p.user_id = u.id LEFT JOIN user_stats AS s ON s.user_id = u.id
  WHERE l.visible = 1 AND l.square IS NOT NULL;

-- The same, in the order of the grid: the fifty of an answer lie side by side. Each of them takes four look-ups where they
-- lie in the order of joining, and most pages that those read hold nobody else of the answer.
CREATE TABLE nearby_people (
  square            INTEGER NOT NULL,
  user_id           TEXT NOT NULL,
  name              TEXT,
  city              TEXT,
  bio               TEXT,
  gender            TEXT,
  photo             TEXT,
  drinks            TEXT,
  activities        TEXT,
  purposes          TEXT,
  language          TEXT NOT NULL,
  rating_avg        REAL,
  reviews_count     INTEGER NOT NULL,
  created_at        INTEGER NOT NULL,
  hidden            TEXT,
  shown_birth_month TEXT,
  PRIMARY KEY (square, user_id)
) WITHOUT ROWID;
INSERT INTO nearby_people SELECT * FROM visible_people ORDER BY square, user_id;

-- Triggers keep the two equal, as no write can pass them by: of a dozen kinds that change a profile, one that forgot this
-- would show what its owner has hidden or erased.
CREATE TRIGGER nearby_people_located AFTER INSERT ON locations BEGIN
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = new.user_id;
END;
-- Mostly a position is published where it was.
CREATE TRIGGER nearby_people_moved AFTER UPDATE OF square, visible ON locations
WHEN new.square IS NOT old.square OR new.visible <> old.visible BEGIN
  DELETE FROM nearby_people WHERE user_id = old.user_id AND square = old.square;
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = new.user_id;
END;
CREATE TRIGGER nearby_people_gone AFTER DELETE ON locations BEGIN
  DELETE FROM nearby_people WHERE user_id = old.user_id AND square = old.square;
END;
CREATE TRIGGER nearby_people_changed AFTER UPDATE OF name, city, bio, gender, photo, created_at, hidden, birth_month, show_age ON users BEGIN
  DELETE FROM nearby_people WHERE user_id = new.id AND square = (SELECT square FROM locations WHERE user_id = new.id);
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = new.id;
END;
CREATE TRIGGER nearby_people_preferring AFTER INSERT ON preferences BEGIN
  DELETE FROM nearby_people WHERE user_id = new.user_id AND square = (SELECT square FROM locations WHERE user_id = new.user_id);
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = new.user_id;
END;
CREATE TRIGGER nearby_people_preferring_else AFTER UPDATE OF drinks, activities, purposes, language ON preferences BEGIN
  DELETE FROM nearby_people WHERE user_id = new.user_id AND square = (SELECT square FROM locations WHERE user_id = new.user_id);
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = new.user_id;
END;
CREATE TRIGGER nearby_people_preferring_nothing AFTER DELETE ON preferences BEGIN
  DELETE FROM nearby_people WHERE user_id = old.user_id AND square = (SELECT square FROM locations WHERE user_id = old.user_id);
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = old.user_id;
END;
CREATE TRIGGER nearby_people_rated AFTER INSERT ON user_stats BEGIN
  DELETE FROM nearby_people WHERE user_id = new.user_id AND square = (SELECT square FROM locations WHERE user_id = new.user_id);
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = new.user_id;
END;
CREATE TRIGGER nearby_people_rated_again AFTER UPDATE OF rating_avg, count ON user_stats
WHEN new.rating_avg IS NOT old.rating_avg OR new.count <> old.count BEGIN
  DELETE FROM nearby_people WHERE user_id = new.user_id AND square = (SELECT square FROM locations WHERE user_id = new.user_id);
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = new.user_id;
END;
CREATE TRIGGER nearby_people_unrated AFTER DELETE ON user_stats BEGIN
  DELETE FROM nearby_people WHERE user_id = old.user_id AND square = (SELECT square FROM locations WHERE user_id = old.user_id);
  INSERT INTO nearby_people SELECT * FROM visible_people WHERE user_id = old.user_id;
END;
