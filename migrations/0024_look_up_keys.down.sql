ALTER TABLE reports DROP COLUMN reviewed_id;
DROP INDEX reviews_of_user;
CREATE INDEX reviews_of_user ON reviews (reviewed_id, created_at / 86400000, id);
