DROP TABLE last_seen;
