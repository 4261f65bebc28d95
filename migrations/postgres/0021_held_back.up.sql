-- Who wants to be seen, but has not given the mandatory consents: `visible` is false meanwhile, and the choice is kept here.
ALTER TABLE locations ADD COLUMN held_back boolean NOT NULL DEFAULT false;
UPDATE locations SET held_back = true, visible = false WHERE visible AND EXISTS (
  SELECT 1 FROM unnest(ARRAY['terms', 'privacy', 'disclaimer']) AS k (kind)
  WHERE NOT coalesce((
    SELECT accepted FROM consent_log AS c WHERE c.user_id = locations.user_id AND c.kind = k.kind
    ORDER BY c.seq DESC LIMIT 1
  ), false)
);
DELETE FROM nearby_traits WHERE user_id IN (SELECT user_id FROM locations WHERE held_back);
