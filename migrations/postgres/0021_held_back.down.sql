UPDATE locations SET visible = true WHERE held_back;
INSERT INTO nearby_traits
  SELECT trait, square, user_id FROM visible_traits WHERE user_id IN (SELECT user_id FROM locations WHERE held_back);
ALTER TABLE locations DROP COLUMN held_back;
