ALTER TABLE reports DROP COLUMN kind;
ALTER TABLE messages DROP COLUMN caution;
DROP TABLE openers;
DROP TABLE rule_versions;
