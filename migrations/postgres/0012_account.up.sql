-- For erasures: who is erased, and the sessions of a user that have ended.
CREATE INDEX users_erased ON users (deleted_at ASC) WHERE deleted_at IS NOT NULL;
CREATE INDEX sessions_ended_of_user ON sessions (user_id, created_at, id) WHERE ended_at IS NOT NULL;

-- For what is kept for a time only.
CREATE INDEX consent_log_with_origin ON consent_log (recorded_at ASC) WHERE user_agent IS NOT NULL OR address IS NOT NULL;
CREATE INDEX reports_with_evidence ON reports (resolved_at ASC) WHERE status = 'resolved' AND evidence IS NOT NULL;
CREATE INDEX locations_by_age ON locations (updated_at ASC) WHERE updated_at IS NOT NULL;
