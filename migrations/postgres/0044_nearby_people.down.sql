DROP TRIGGER nearby_people_rated_again ON user_stats;
DROP TRIGGER nearby_people_rated ON user_stats;
DROP TRIGGER nearby_people_preferring ON preferences;
DROP TRIGGER nearby_people_changed ON users;
DROP TRIGGER nearby_people_moved ON locations;
DROP TRIGGER nearby_people_located ON locations;
DROP FUNCTION sync_nearby_person();
DROP TABLE nearby_people;
DROP VIEW visible_people;
