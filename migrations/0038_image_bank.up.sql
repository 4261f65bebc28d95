-- The perceptual hashes of an image (as it is, and turned or mirrored), and how much there is to be seen in it, 0 to 100. The
-- quality is null where both are still to be found out; the hashes are null where the image cannot be looked at.
ALTER TABLE media ADD COLUMN hashes TEXT;
ALTER TABLE media ADD COLUMN hash_quality INTEGER;
CREATE INDEX media_without_hash ON media (id) WHERE hash_quality IS NULL;

-- Hashes of images that are banned.
CREATE TABLE image_bank (
  id         TEXT PRIMARY KEY NOT NULL,
  hash       TEXT NOT NULL,
  distance   INTEGER,              -- null: the one of the rule that asks
  reason     TEXT NOT NULL,
  report_id  TEXT,                 -- the report whose decision has banned it; null for one by an admin
  added_by   TEXT,                 -- null for the command line
  created_at INTEGER NOT NULL,
  version    INTEGER NOT NULL      -- the change of the bank that has added it
);
CREATE INDEX image_bank_by_report ON image_bank (report_id) WHERE report_id IS NOT NULL;
CREATE INDEX image_bank_by_time ON image_bank (created_at, id);
CREATE INDEX image_bank_by_hash ON image_bank (hash);

-- One row: the newest change of the bank, and how far the photos of profiles have been compared with it.
CREATE TABLE image_bank_state (
  id          INTEGER PRIMARY KEY NOT NULL,
  version     INTEGER NOT NULL,
  checked_to  INTEGER NOT NULL,    -- photos of profiles were compared with what these changes have added
  checking_to INTEGER,             -- and are being compared with what was added up to this one
  checked_id  TEXT                 -- up to this user
);
