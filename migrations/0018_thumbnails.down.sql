DROP INDEX media_sizes;
DROP INDEX media_without_thumb;
ALTER TABLE media DROP COLUMN thumb_bytes;
