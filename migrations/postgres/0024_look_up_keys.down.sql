DROP INDEX pending_reviews_by_id;
DROP INDEX appeals_by_notice;
DROP INDEX consent_log_by_id;
DROP INDEX message_versions_by_message;
ALTER TABLE reports DROP COLUMN reviewed_id;
