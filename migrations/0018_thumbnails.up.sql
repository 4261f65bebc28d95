-- The size of an image's thumbnail: null where it is still to be made, 0 where it cannot be.
ALTER TABLE media ADD COLUMN thumb_bytes INTEGER;
CREATE INDEX media_without_thumb ON media (id) WHERE thumb_bytes IS NULL;
-- What an owner's images take is added up from this alone.
CREATE INDEX media_sizes ON media (owner_id, bytes, thumb_bytes);
-- Photos on other hosts are shown no more: whoever looked at a profile told that host their address. Those that a messenger
-- named stay noted, and are fetched when their users log in the next time.
UPDATE users SET photo = NULL WHERE photo LIKE 'https:%' AND messenger_id IS NULL;
