-- Who wants to be seen, but has not given the mandatory consents: `visible` is 0 meanwhile, and the choice is kept here.
ALTER TABLE locations ADD COLUMN held_back INTEGER NOT NULL DEFAULT 0;
UPDATE locations SET held_back = 1 WHERE visible = 1 AND EXISTS (
  SELECT 1 FROM (SELECT 'terms' AS kind UNION ALL SELECT 'privacy' UNION ALL SELECT 'disclaimer') AS k
  WHERE coalesce((
    SELECT accepted FROM consent_log AS c WHERE c.user_id = locations.user_id AND c.kind = k.kind
    ORDER BY c.rowid DESC LIMIT 1
  ), 0) = 0
);
DELETE FROM nearby_traits WHERE (trait, square, location_id) IN (
  SELECT trait, square, location_id FROM visible_traits WHERE user_id IN (SELECT user_id FROM locations WHERE held_back = 1)
);
UPDATE locations SET visible = 0 WHERE held_back = 1;
