-- Reports that hide somebody until they are decided.
ALTER TABLE users ADD COLUMN hidden text;          -- 'nearby' or 'profile': what others do not see
ALTER TABLE users ADD COLUMN hidden_by text COLLATE "C"; -- the notice that told of it: an appeal against it shows them again
ALTER TABLE reports ADD COLUMN hides bigint;      -- the share of a hiding that rests on this report; 0: it hides nobody any more
ALTER TABLE reports ADD COLUMN origin text;        -- a keyed hash of the reporter's address, kept for a day
CREATE INDEX reports_with_origin ON reports (created_at) WHERE origin IS NOT NULL;

-- 'hide' and 'show': decisions that the column action does not know.
ALTER TABLE notices ADD COLUMN kind text;
