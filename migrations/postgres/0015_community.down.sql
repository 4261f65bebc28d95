DROP TABLE job_turns;
DROP TABLE community;
