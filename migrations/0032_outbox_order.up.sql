-- Parcels with the same key are delivered one after another, by their position. Null: in any order.
ALTER TABLE outbox ADD COLUMN ordered_by TEXT;
ALTER TABLE outbox ADD COLUMN position INTEGER;
CREATE INDEX outbox_in_order ON outbox (ordered_by, position) WHERE ordered_by IS NOT NULL;
