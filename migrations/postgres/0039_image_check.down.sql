DROP INDEX media_unchecked;
ALTER TABLE media DROP COLUMN check_label;
ALTER TABLE media DROP COLUMN check_action;
