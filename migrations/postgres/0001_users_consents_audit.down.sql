DROP TABLE audit_log;
DROP TABLE consent_log;
DROP TABLE users;
