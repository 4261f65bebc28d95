DROP TABLE reports;
DROP TABLE blocks;
DROP TABLE messages;
DROP TABLE chats;
