-- The perceptual hashes of an image (as it is, and turned or mirrored), and how much there is to be seen in it, 0 to 100. The
-- quality is null where both are still to be found out; the hashes are null where the image cannot be looked at.
ALTER TABLE media ADD COLUMN hashes text;
ALTER TABLE media ADD COLUMN hash_quality bigint;
CREATE INDEX media_without_hash ON media (id) WHERE hash_quality IS NULL;

-- Hashes of images that are banned.
CREATE TABLE image_bank (
  id         text COLLATE "C" PRIMARY KEY,
  hash       text COLLATE "C" NOT NULL,
  distance   bigint,               -- null: the one of the rule that asks
  reason     text NOT NULL,
  report_id  text COLLATE "C",     -- the report whose decision has banned it; null for one by an admin
  added_by   text,                 -- null for the command line
  created_at bigint NOT NULL,
  version    bigint NOT NULL       -- the change of the bank that has added it
);
CREATE INDEX image_bank_by_report ON image_bank (report_id) WHERE report_id IS NOT NULL;
CREATE INDEX image_bank_by_time ON image_bank (created_at, id);
CREATE INDEX image_bank_by_hash ON image_bank (hash);

-- One row: the newest change of the bank, and how far the photos of profiles have been compared with it.
CREATE TABLE image_bank_state (
  id          bigint PRIMARY KEY,
  version     bigint NOT NULL,
  checked_to  bigint NOT NULL,     -- photos of profiles were compared with what these changes have added
  checking_to bigint,              -- and are being compared with what was added up to this one
  checked_id  text COLLATE "C"     -- up to this user
);
