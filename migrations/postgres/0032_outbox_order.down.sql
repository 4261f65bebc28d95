DROP INDEX outbox_in_order;
ALTER TABLE outbox DROP COLUMN position;
ALTER TABLE outbox DROP COLUMN ordered_by;
