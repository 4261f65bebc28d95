import type { ChatMessage, Convene } from 'convene-client'

// Both are kept while other screens are shown, until a sign-out. For their keys see `draftKey`.
/** Unsent texts. */
export const drafts = new Map<string, string>()
/** Unsaved changes of messages. */
export const edits = new Map<string, { message: ChatMessage; text: string }>()
let isWatching = false

/** Removes all drafts at each sign-out. A page has one client, so watching it once is enough. */
export function removeAtSignOut({ session }: Convene) {
  if (isWatching) return
  isWatching = true
  session.subscribe(() => {
    if (session.get().state !== 'signed-out') return
    drafts.clear()
    edits.clear()
  })
}

/** One draft for each user and chat. */
export const draftKey = (userId: string | undefined, chatId: string) => `${userId} ${chatId}`
