DROP INDEX users_by_photo;
DROP TABLE media;
