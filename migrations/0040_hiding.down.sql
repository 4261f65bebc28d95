ALTER TABLE notices DROP COLUMN kind;
DROP INDEX reports_with_origin;
ALTER TABLE reports DROP COLUMN origin;
ALTER TABLE reports DROP COLUMN hides;
ALTER TABLE users DROP COLUMN hidden_by;
ALTER TABLE users DROP COLUMN hidden;
