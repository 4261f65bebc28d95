-- What the operator's own server says of an image: 'allow', 'flag' or 'hold', or 'pending' while it has not answered. Null where
-- nobody was asked.
ALTER TABLE media ADD COLUMN check_action text;
ALTER TABLE media ADD COLUMN check_label text;
CREATE INDEX media_unchecked ON media (id) WHERE check_action = 'pending';
