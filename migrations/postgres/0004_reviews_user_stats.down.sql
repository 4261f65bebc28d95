DROP TABLE user_stats;
DROP TABLE reviews;
