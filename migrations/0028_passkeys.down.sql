DROP TABLE used_challenges;
DROP TABLE passkeys;
ALTER TABLE sessions DROP COLUMN passkey_at;
