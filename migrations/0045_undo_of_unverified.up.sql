-- When a link was made that takes back the change of an address, if nobody had verified that address then.
ALTER TABLE email_links ADD COLUMN unverified_at INTEGER;
