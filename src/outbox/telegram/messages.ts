/** What the bot sends on its own, as stored in the outbox: to moderators, that a report was filed. */
export type BotMessage = { about: 'open_reports' }
