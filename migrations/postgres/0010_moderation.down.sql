DROP TABLE evidence_photos;
DROP TABLE appeals;
DROP TABLE notices;
DROP TABLE message_versions;
ALTER TABLE users DROP COLUMN suspension_id;
ALTER TABLE users DROP COLUMN suspended_reason;
ALTER TABLE users DROP COLUMN suspended_until;
