/**
 * Telegram refused a call, or did not answer. It holds neither the library's error nor its cause: these have the token in
 * their URL, and the text and chat of the message.
 */
export class TelegramError extends Error {
  override readonly name = 'TelegramError'
  constructor(
    message: string,
    /** What Telegram answered, such as 403; null if it did not. */
    readonly code: number | null = null,
    /** Telegram's own words, for telling apart what has the same code. */
    readonly description = '',
    /** In milliseconds: not before then. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}
