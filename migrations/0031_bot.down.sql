DROP TABLE bot_updates;
DROP TABLE bot_permissions;
