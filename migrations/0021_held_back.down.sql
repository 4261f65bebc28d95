UPDATE locations SET visible = 1 WHERE held_back = 1;
INSERT INTO nearby_traits
  SELECT trait, square, location_id FROM visible_traits WHERE user_id IN (SELECT user_id FROM locations WHERE held_back = 1);
ALTER TABLE locations DROP COLUMN held_back;
