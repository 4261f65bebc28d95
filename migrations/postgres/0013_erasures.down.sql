DROP TABLE unfinished_erasures;
