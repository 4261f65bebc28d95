DROP TABLE templates;
ALTER TABLE notices DROP COLUMN strikes;
DROP INDEX reports_all_by_due;
DROP INDEX reports_by_due;
ALTER TABLE reports DROP COLUMN pending_until;
ALTER TABLE reports DROP COLUMN pending;
ALTER TABLE reports DROP COLUMN claimed_until;
ALTER TABLE reports DROP COLUMN claimed_by;
ALTER TABLE reports DROP COLUMN due_at;
