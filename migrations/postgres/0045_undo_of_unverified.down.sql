ALTER TABLE email_links DROP COLUMN unverified_at;
