DROP INDEX reports_by_resolution;
DROP INDEX notices_by_time;
DROP INDEX blocks_by_time;
DROP INDEX chats_by_time;
DROP INDEX users_by_time;
DROP TABLE daily_figures;
