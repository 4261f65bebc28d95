/**
 * What webhooks tell the operator's own server, by type: ids and facts. Never a text, a position, an address, or who reported,
 * reviewed or blocked whom.
 */
export type WebhookData = {
  'user.created': { user_id: string; by: 'email' | 'phone' | 'messenger' | 'oidc' }
  /** `fields` names what has changed, without the values. */
  'user.updated': { user_id: string; fields: string[] }
  'user.erased': { user_id: string }
  /** `until` is null if the suspension has no end. */
  'user.suspended': { user_id: string; until: string | null }
  'user.unsuspended': { user_id: string }
  /** `user_id` is the reported one; null if that would name the author of a review. */
  'report.created': { report_id: string; user_id: string | null; target: 'user' | 'message' | 'review'; reason: string }
  'report.resolved': { report_id: string; action: string }
  /** `user_id` is who appeals; null if that would name the author of a review. */
  'appeal.created': { appeal_id: string; notice_id: string; user_id: string | null }
  /** `user_id` is the blocked one. */
  'block.created': { block_id: string; user_id: string }
  /** `user_id` is the sender. */
  'message.held': { message_id: string; user_id: string }
}
export type WebhookType = keyof WebhookData

/** A webhook as it waits in the outbox. */
export type Webhook = { [T in WebhookType]: { about: T; data: WebhookData[T] } }[WebhookType]
