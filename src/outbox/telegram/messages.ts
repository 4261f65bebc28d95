/** What the bot says by itself, as it waits in the outbox: that a report was filed, to the moderators. */
export type BotMessage = { about: 'open_reports' }
