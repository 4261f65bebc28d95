DROP TABLE email_links;
ALTER TABLE users DROP COLUMN email_asked_at;
ALTER TABLE users DROP COLUMN email_verified_at;
