DROP TABLE image_bank_state;
DROP TABLE image_bank;
DROP INDEX media_without_hash;
ALTER TABLE media DROP COLUMN hash_quality;
ALTER TABLE media DROP COLUMN hashes;
