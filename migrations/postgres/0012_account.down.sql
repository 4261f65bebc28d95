DROP INDEX locations_by_age;
DROP INDEX reports_with_evidence;
DROP INDEX consent_log_with_origin;
DROP INDEX sessions_ended_of_user;
DROP INDEX users_erased;
