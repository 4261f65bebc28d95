import up0001 from './0001_users_consents_audit.up.sql' with { type: 'text' }
import down0001 from './0001_users_consents_audit.down.sql' with { type: 'text' }
import up0002 from './0002_preferences_locations.up.sql' with { type: 'text' }
import down0002 from './0002_preferences_locations.down.sql' with { type: 'text' }
import up0003 from './0003_chats_messages_blocks_reports.up.sql' with { type: 'text' }
import down0003 from './0003_chats_messages_blocks_reports.down.sql' with { type: 'text' }
import up0004 from './0004_reviews_user_stats.up.sql' with { type: 'text' }
import down0004 from './0004_reviews_user_stats.down.sql' with { type: 'text' }
import up0006 from './0006_messages_read_at.up.sql' with { type: 'text' }
import down0006 from './0006_messages_read_at.down.sql' with { type: 'text' }
import up0007 from './0007_sessions.up.sql' with { type: 'text' }
import down0007 from './0007_sessions.down.sql' with { type: 'text' }
import up0008 from './0008_media.up.sql' with { type: 'text' }
import down0008 from './0008_media.down.sql' with { type: 'text' }
import up0009 from './0009_events.up.sql' with { type: 'text' }
import down0009 from './0009_events.down.sql' with { type: 'text' }
import up0010 from './0010_moderation.up.sql' with { type: 'text' }
import down0010 from './0010_moderation.down.sql' with { type: 'text' }
import up0011 from './0011_nearby.up.sql' with { type: 'text' }
import down0011 from './0011_nearby.down.sql' with { type: 'text' }
import up0012 from './0012_account.up.sql' with { type: 'text' }
import down0012 from './0012_account.down.sql' with { type: 'text' }
import up0013 from './0013_erasures.up.sql' with { type: 'text' }
import down0013 from './0013_erasures.down.sql' with { type: 'text' }
import up0014 from './0014_unread_counts.up.sql' with { type: 'text' }
import down0014 from './0014_unread_counts.down.sql' with { type: 'text' }
import up0015 from './0015_community.up.sql' with { type: 'text' }
import down0015 from './0015_community.down.sql' with { type: 'text' }
import up0016 from './0016_review_reports.up.sql' with { type: 'text' }
import down0016 from './0016_review_reports.down.sql' with { type: 'text' }
import up0017 from './0017_chats_both_written.up.sql' with { type: 'text' }
import down0017 from './0017_chats_both_written.down.sql' with { type: 'text' }
import up0018 from './0018_thumbnails.up.sql' with { type: 'text' }
import down0018 from './0018_thumbnails.down.sql' with { type: 'text' }
import up0019 from './0019_consents_and_preferences.up.sql' with { type: 'text' }
import down0019 from './0019_consents_and_preferences.down.sql' with { type: 'text' }
import up0020 from './0020_pending_reviews.up.sql' with { type: 'text' }
import down0020 from './0020_pending_reviews.down.sql' with { type: 'text' }
import up0021 from './0021_held_back.up.sql' with { type: 'text' }
import down0021 from './0021_held_back.down.sql' with { type: 'text' }
import up0022 from './0022_nodes.up.sql' with { type: 'text' }
import down0022 from './0022_nodes.down.sql' with { type: 'text' }
import up0023 from './0023_last_seen.up.sql' with { type: 'text' }
import down0023 from './0023_last_seen.down.sql' with { type: 'text' }
import up0024 from './0024_look_up_keys.up.sql' with { type: 'text' }
import down0024 from './0024_look_up_keys.down.sql' with { type: 'text' }
import up0025 from './0025_outbox.up.sql' with { type: 'text' }
import down0025 from './0025_outbox.down.sql' with { type: 'text' }
import up0026 from './0026_email_links.up.sql' with { type: 'text' }
import down0026 from './0026_email_links.down.sql' with { type: 'text' }
import up0027 from './0027_identities.up.sql' with { type: 'text' }
import down0027 from './0027_identities.down.sql' with { type: 'text' }
import up0028 from './0028_passkeys.up.sql' with { type: 'text' }
import down0028 from './0028_passkeys.down.sql' with { type: 'text' }
import up0029 from './0029_invites.up.sql' with { type: 'text' }
import down0029 from './0029_invites.down.sql' with { type: 'text' }
import up0030 from './0030_notifications.up.sql' with { type: 'text' }
import down0030 from './0030_notifications.down.sql' with { type: 'text' }
import up0031 from './0031_bot.up.sql' with { type: 'text' }
import down0031 from './0031_bot.down.sql' with { type: 'text' }
import up0032 from './0032_outbox_order.up.sql' with { type: 'text' }
import down0032 from './0032_outbox_order.down.sql' with { type: 'text' }
import up0033 from './0033_report_queue.up.sql' with { type: 'text' }
import down0033 from './0033_report_queue.down.sql' with { type: 'text' }
import up0034 from './0034_figures.up.sql' with { type: 'text' }
import down0034 from './0034_figures.down.sql' with { type: 'text' }
import up0035 from './0035_content_rules.up.sql' with { type: 'text' }
import down0035 from './0035_content_rules.down.sql' with { type: 'text' }
import up0036 from './0036_held_messages.up.sql' with { type: 'text' }
import down0036 from './0036_held_messages.down.sql' with { type: 'text' }
import up0038 from './0038_image_bank.up.sql' with { type: 'text' }
import down0038 from './0038_image_bank.down.sql' with { type: 'text' }
import up0039 from './0039_image_check.up.sql' with { type: 'text' }
import down0039 from './0039_image_check.down.sql' with { type: 'text' }
import up0040 from './0040_hiding.up.sql' with { type: 'text' }
import down0040 from './0040_hiding.down.sql' with { type: 'text' }
import up0041 from './0041_announcements.up.sql' with { type: 'text' }
import down0041 from './0041_announcements.down.sql' with { type: 'text' }
import up0042 from './0042_age.up.sql' with { type: 'text' }
import down0042 from './0042_age.down.sql' with { type: 'text' }
import up0043 from './0043_shown_age.up.sql' with { type: 'text' }
import down0043 from './0043_shown_age.down.sql' with { type: 'text' }
import up0044 from './0044_nearby_people.up.sql' with { type: 'text' }
import down0044 from './0044_nearby_people.down.sql' with { type: 'text' }
import up0045 from './0045_undo_of_unverified.up.sql' with { type: 'text' }
import down0045 from './0045_undo_of_unverified.down.sql' with { type: 'text' }

import pgUp0001 from './postgres/0001_users_consents_audit.up.sql' with { type: 'text' }
import pgDown0001 from './postgres/0001_users_consents_audit.down.sql' with { type: 'text' }
import pgUp0002 from './postgres/0002_preferences_locations.up.sql' with { type: 'text' }
import pgDown0002 from './postgres/0002_preferences_locations.down.sql' with { type: 'text' }
import pgUp0003 from './postgres/0003_chats_messages_blocks_reports.up.sql' with { type: 'text' }
import pgDown0003 from './postgres/0003_chats_messages_blocks_reports.down.sql' with { type: 'text' }
import pgUp0004 from './postgres/0004_reviews_user_stats.up.sql' with { type: 'text' }
import pgDown0004 from './postgres/0004_reviews_user_stats.down.sql' with { type: 'text' }
import pgUp0006 from './postgres/0006_messages_read_at.up.sql' with { type: 'text' }
import pgDown0006 from './postgres/0006_messages_read_at.down.sql' with { type: 'text' }
import pgUp0007 from './postgres/0007_sessions.up.sql' with { type: 'text' }
import pgDown0007 from './postgres/0007_sessions.down.sql' with { type: 'text' }
import pgUp0008 from './postgres/0008_media.up.sql' with { type: 'text' }
import pgDown0008 from './postgres/0008_media.down.sql' with { type: 'text' }
import pgUp0009 from './postgres/0009_events.up.sql' with { type: 'text' }
import pgDown0009 from './postgres/0009_events.down.sql' with { type: 'text' }
import pgUp0010 from './postgres/0010_moderation.up.sql' with { type: 'text' }
import pgDown0010 from './postgres/0010_moderation.down.sql' with { type: 'text' }
import pgUp0011 from './postgres/0011_nearby.up.sql' with { type: 'text' }
import pgDown0011 from './postgres/0011_nearby.down.sql' with { type: 'text' }
import pgUp0012 from './postgres/0012_account.up.sql' with { type: 'text' }
import pgDown0012 from './postgres/0012_account.down.sql' with { type: 'text' }
import pgUp0013 from './postgres/0013_erasures.up.sql' with { type: 'text' }
import pgDown0013 from './postgres/0013_erasures.down.sql' with { type: 'text' }
import pgUp0014 from './postgres/0014_unread_counts.up.sql' with { type: 'text' }
import pgDown0014 from './postgres/0014_unread_counts.down.sql' with { type: 'text' }
import pgUp0015 from './postgres/0015_community.up.sql' with { type: 'text' }
import pgDown0015 from './postgres/0015_community.down.sql' with { type: 'text' }
import pgUp0016 from './postgres/0016_review_reports.up.sql' with { type: 'text' }
import pgDown0016 from './postgres/0016_review_reports.down.sql' with { type: 'text' }
import pgUp0017 from './postgres/0017_chats_both_written.up.sql' with { type: 'text' }
import pgDown0017 from './postgres/0017_chats_both_written.down.sql' with { type: 'text' }
import pgUp0018 from './postgres/0018_thumbnails.up.sql' with { type: 'text' }
import pgDown0018 from './postgres/0018_thumbnails.down.sql' with { type: 'text' }
import pgUp0019 from './postgres/0019_consents_and_preferences.up.sql' with { type: 'text' }
import pgDown0019 from './postgres/0019_consents_and_preferences.down.sql' with { type: 'text' }
import pgUp0020 from './postgres/0020_pending_reviews.up.sql' with { type: 'text' }
import pgDown0020 from './postgres/0020_pending_reviews.down.sql' with { type: 'text' }
import pgUp0021 from './postgres/0021_held_back.up.sql' with { type: 'text' }
import pgDown0021 from './postgres/0021_held_back.down.sql' with { type: 'text' }
import pgUp0022 from './postgres/0022_nodes.up.sql' with { type: 'text' }
import pgDown0022 from './postgres/0022_nodes.down.sql' with { type: 'text' }
import pgUp0023 from './postgres/0023_last_seen.up.sql' with { type: 'text' }
import pgDown0023 from './postgres/0023_last_seen.down.sql' with { type: 'text' }
import pgUp0024 from './postgres/0024_look_up_keys.up.sql' with { type: 'text' }
import pgDown0024 from './postgres/0024_look_up_keys.down.sql' with { type: 'text' }
import pgUp0025 from './postgres/0025_outbox.up.sql' with { type: 'text' }
import pgDown0025 from './postgres/0025_outbox.down.sql' with { type: 'text' }
import pgUp0026 from './postgres/0026_email_links.up.sql' with { type: 'text' }
import pgDown0026 from './postgres/0026_email_links.down.sql' with { type: 'text' }
import pgUp0027 from './postgres/0027_identities.up.sql' with { type: 'text' }
import pgDown0027 from './postgres/0027_identities.down.sql' with { type: 'text' }
import pgUp0028 from './postgres/0028_passkeys.up.sql' with { type: 'text' }
import pgDown0028 from './postgres/0028_passkeys.down.sql' with { type: 'text' }
import pgUp0029 from './postgres/0029_invites.up.sql' with { type: 'text' }
import pgDown0029 from './postgres/0029_invites.down.sql' with { type: 'text' }
import pgUp0030 from './postgres/0030_notifications.up.sql' with { type: 'text' }
import pgDown0030 from './postgres/0030_notifications.down.sql' with { type: 'text' }
import pgUp0031 from './postgres/0031_bot.up.sql' with { type: 'text' }
import pgDown0031 from './postgres/0031_bot.down.sql' with { type: 'text' }
import pgUp0032 from './postgres/0032_outbox_order.up.sql' with { type: 'text' }
import pgDown0032 from './postgres/0032_outbox_order.down.sql' with { type: 'text' }
import pgUp0033 from './postgres/0033_report_queue.up.sql' with { type: 'text' }
import pgDown0033 from './postgres/0033_report_queue.down.sql' with { type: 'text' }
import pgUp0034 from './postgres/0034_figures.up.sql' with { type: 'text' }
import pgDown0034 from './postgres/0034_figures.down.sql' with { type: 'text' }
import pgUp0035 from './postgres/0035_content_rules.up.sql' with { type: 'text' }
import pgDown0035 from './postgres/0035_content_rules.down.sql' with { type: 'text' }
import pgUp0036 from './postgres/0036_held_messages.up.sql' with { type: 'text' }
import pgDown0036 from './postgres/0036_held_messages.down.sql' with { type: 'text' }
import pgUp0038 from './postgres/0038_image_bank.up.sql' with { type: 'text' }
import pgDown0038 from './postgres/0038_image_bank.down.sql' with { type: 'text' }
import pgUp0039 from './postgres/0039_image_check.up.sql' with { type: 'text' }
import pgDown0039 from './postgres/0039_image_check.down.sql' with { type: 'text' }
import pgUp0040 from './postgres/0040_hiding.up.sql' with { type: 'text' }
import pgDown0040 from './postgres/0040_hiding.down.sql' with { type: 'text' }
import pgUp0041 from './postgres/0041_announcements.up.sql' with { type: 'text' }
import pgDown0041 from './postgres/0041_announcements.down.sql' with { type: 'text' }
import pgUp0042 from './postgres/0042_age.up.sql' with { type: 'text' }
import pgDown0042 from './postgres/0042_age.down.sql' with { type: 'text' }
import pgUp0043 from './postgres/0043_shown_age.up.sql' with { type: 'text' }
import pgDown0043 from './postgres/0043_shown_age.down.sql' with { type: 'text' }
import pgUp0044 from './postgres/0044_nearby_people.up.sql' with { type: 'text' }
import pgDown0044 from './postgres/0044_nearby_people.down.sql' with { type: 'text' }
import pgUp0045 from './postgres/0045_undo_of_unverified.up.sql' with { type: 'text' }
import pgDown0045 from './postgres/0045_undo_of_unverified.down.sql' with { type: 'text' }

/** A step of the schema, up and down in the SQL of each engine. */
/** The SQL of a step for PostgreSQL. */
export const onPostgres = ({ up, down, postgres = { up, down } }: Migration) => postgres

export type Migration = {
  number: number
  name: string
  up: string
  down: string
  /** Left out where both engines take the same SQL. */
  postgres?: { up: string; down: string }
  /**
   * For a step that only expands: the newest step of the oldest release that goes on working on a database which has this
   * one, so that nodes of both run side by side during an upgrade. Without it no earlier release starts on it.
   */
  compatibleWith?: number
}

/**
 * Every step of the schema, in order. Imported as text, so that the compiled binary carries them. 0005 was never used.
 * `up` and `down` are SQLite's, and PostgreSQL's too unless `postgres` has its own; a step has the same number and means the
 * same in both engines.
 */
export const migrations: readonly Migration[] = [
  { number: 1, name: 'users_consents_audit', up: up0001, down: down0001, postgres: { up: pgUp0001, down: pgDown0001 } },
  {
    number: 2,
    name: 'preferences_locations',
    up: up0002,
    down: down0002,
    postgres: { up: pgUp0002, down: pgDown0002 },
  },
  {
    number: 3,
    name: 'chats_messages_blocks_reports',
    up: up0003,
    down: down0003,
    postgres: { up: pgUp0003, down: pgDown0003 },
  },
  { number: 4, name: 'reviews_user_stats', up: up0004, down: down0004, postgres: { up: pgUp0004, down: pgDown0004 } },
  { number: 6, name: 'messages_read_at', up: up0006, down: down0006, postgres: { up: pgUp0006, down: pgDown0006 } },
  { number: 7, name: 'sessions', up: up0007, down: down0007, postgres: { up: pgUp0007, down: pgDown0007 } },
  { number: 8, name: 'media', up: up0008, down: down0008, postgres: { up: pgUp0008, down: pgDown0008 } },
  { number: 9, name: 'events', up: up0009, down: down0009, postgres: { up: pgUp0009, down: pgDown0009 } },
  { number: 10, name: 'moderation', up: up0010, down: down0010, postgres: { up: pgUp0010, down: pgDown0010 } },
  { number: 11, name: 'nearby', up: up0011, down: down0011, postgres: { up: pgUp0011, down: pgDown0011 } },
  { number: 12, name: 'account', up: up0012, down: down0012, postgres: { up: pgUp0012, down: pgDown0012 } },
  { number: 13, name: 'erasures', up: up0013, down: down0013, postgres: { up: pgUp0013, down: pgDown0013 } },
  { number: 14, name: 'unread_counts', up: up0014, down: down0014, postgres: { up: pgUp0014, down: pgDown0014 } },
  { number: 15, name: 'community', up: up0015, down: down0015, postgres: { up: pgUp0015, down: pgDown0015 } },
  { number: 16, name: 'review_reports', up: up0016, down: down0016, postgres: { up: pgUp0016, down: pgDown0016 } },
  {
    number: 17,
    name: 'chats_both_written',
    up: up0017,
    down: down0017,
    postgres: { up: pgUp0017, down: pgDown0017 },
    compatibleWith: 16,
  },
  {
    number: 18,
    name: 'thumbnails',
    up: up0018,
    down: down0018,
    postgres: { up: pgUp0018, down: pgDown0018 },
    compatibleWith: 16,
  },
  {
    number: 19,
    name: 'consents_and_preferences',
    up: up0019,
    down: down0019,
    postgres: { up: pgUp0019, down: pgDown0019 },
    compatibleWith: 16,
  },
  {
    number: 20,
    name: 'pending_reviews',
    up: up0020,
    down: down0020,
    postgres: { up: pgUp0020, down: pgDown0020 },
    compatibleWith: 16,
  },
  {
    number: 21,
    name: 'held_back',
    up: up0021,
    down: down0021,
    postgres: { up: pgUp0021, down: pgDown0021 },
    compatibleWith: 16,
  },
  {
    number: 22,
    name: 'nodes',
    up: up0022,
    down: down0022,
    postgres: { up: pgUp0022, down: pgDown0022 },
    compatibleWith: 16,
  },
  {
    number: 23,
    name: 'last_seen',
    up: up0023,
    down: down0023,
    postgres: { up: pgUp0023, down: pgDown0023 },
    compatibleWith: 16,
  },
  {
    number: 24,
    name: 'look_up_keys',
    up: up0024,
    down: down0024,
    postgres: { up: pgUp0024, down: pgDown0024 },
    compatibleWith: 16,
  },
  {
    number: 25,
    name: 'outbox',
    up: up0025,
    down: down0025,
    postgres: { up: pgUp0025, down: pgDown0025 },
    compatibleWith: 16,
  },
  {
    number: 26,
    name: 'email_links',
    up: up0026,
    down: down0026,
    postgres: { up: pgUp0026, down: pgDown0026 },
    compatibleWith: 16,
  },
  {
    number: 27,
    name: 'identities',
    up: up0027,
    down: down0027,
    postgres: { up: pgUp0027, down: pgDown0027 },
    compatibleWith: 16,
  },
  {
    number: 28,
    name: 'passkeys',
    up: up0028,
    down: down0028,
    postgres: { up: pgUp0028, down: pgDown0028 },
    compatibleWith: 16,
  },
  {
    number: 29,
    name: 'invites',
    up: up0029,
    down: down0029,
    postgres: { up: pgUp0029, down: pgDown0029 },
    compatibleWith: 16,
  },
  {
    number: 30,
    name: 'notifications',
    up: up0030,
    down: down0030,
    postgres: { up: pgUp0030, down: pgDown0030 },
    compatibleWith: 16,
  },
  {
    number: 31,
    name: 'bot',
    up: up0031,
    down: down0031,
    postgres: { up: pgUp0031, down: pgDown0031 },
    compatibleWith: 16,
  },
  {
    number: 32,
    name: 'outbox_order',
    up: up0032,
    down: down0032,
    postgres: { up: pgUp0032, down: pgDown0032 },
    compatibleWith: 16,
  },
  {
    number: 33,
    name: 'report_queue',
    up: up0033,
    down: down0033,
    postgres: { up: pgUp0033, down: pgDown0033 },
    compatibleWith: 16,
  },
  {
    number: 34,
    name: 'figures',
    up: up0034,
    down: down0034,
    postgres: { up: pgUp0034, down: pgDown0034 },
    compatibleWith: 16,
  },
  {
    number: 35,
    name: 'content_rules',
    up: up0035,
    down: down0035,
    postgres: { up: pgUp0035, down: pgDown0035 },
    compatibleWith: 16,
  },
  {
    number: 36,
    name: 'held_messages',
    up: up0036,
    down: down0036,
    postgres: { up: pgUp0036, down: pgDown0036 },
    compatibleWith: 16,
  },
  {
    number: 38,
    name: 'image_bank',
    up: up0038,
    down: down0038,
    postgres: { up: pgUp0038, down: pgDown0038 },
    compatibleWith: 16,
  },
  {
    number: 39,
    name: 'image_check',
    up: up0039,
    down: down0039,
    postgres: { up: pgUp0039, down: pgDown0039 },
    compatibleWith: 16,
  },
  {
    number: 40,
    name: 'hiding',
    up: up0040,
    down: down0040,
    postgres: { up: pgUp0040, down: pgDown0040 },
    compatibleWith: 16,
  },
  {
    number: 41,
    name: 'announcements',
    up: up0041,
    down: down0041,
    postgres: { up: pgUp0041, down: pgDown0041 },
    compatibleWith: 16,
  },
  {
    number: 42,
    name: 'age',
    up: up0042,
    down: down0042,
    postgres: { up: pgUp0042, down: pgDown0042 },
    compatibleWith: 16,
  },
  {
    number: 43,
    name: 'shown_age',
    up: up0043,
    down: down0043,
    postgres: { up: pgUp0043, down: pgDown0043 },
    compatibleWith: 16,
  },
  {
    number: 44,
    name: 'nearby_people',
    up: up0044,
    down: down0044,
    postgres: { up: pgUp0044, down: pgDown0044 },
    compatibleWith: 16,
  },
  {
    number: 45,
    name: 'undo_of_unverified',
    up: up0045,
    down: down0045,
    postgres: { up: pgUp0045, down: pgDown0045 },
    compatibleWith: 16,
  },
]
