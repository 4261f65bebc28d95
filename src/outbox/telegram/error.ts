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
    /** Telegram's own message, which distinguishes errors with the same code. */
    readonly description = '',
    /** How many milliseconds to wait before the next attempt. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}
