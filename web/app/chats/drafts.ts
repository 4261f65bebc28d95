import type { ChatMessage } from 'convene-client'
import { keptDrafts } from '../../shared/kept-drafts.ts'

// Both are kept while other screens are shown, and over a reload, until a sign-out. For their keys see `draftKey`.
/** Unsent texts. */
export const drafts = keptDrafts<string>('messages')
/** Unsaved changes of messages. */
export const edits = keptDrafts<{ message: ChatMessage; text: string }>('edits')

/** One draft for each user and chat. */
export const draftKey = (userId: string | undefined, chatId: string) => `${userId} ${chatId}`
