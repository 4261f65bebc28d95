import type { ChatMessage, Convene } from 'convene-client'

// By user and chat, kept while other screens are shown, until a sign-out.
/** Texts that are not sent. */
export const drafts = new Map<string, string>()
/** Changes of a message that are not saved. */
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

/** The key of the drafts. */
export const draftKey = (userId: string | undefined, chatId: string) => `${userId} ${chatId}`
