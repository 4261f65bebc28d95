DROP INDEX users_by_name;
DROP TABLE invites;
