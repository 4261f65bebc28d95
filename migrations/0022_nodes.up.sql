-- A file has one server, by the lock on its directory: which nodes run on a database is PostgreSQL's to know.
SELECT 1;
