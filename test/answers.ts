import type { session } from '../src/features/auth/model.ts'
import type { chat, chatList, message } from '../src/features/chats/model.ts'

/** What the routes answer, as their schemas say it: `(await ada.post<Chat>('chats', …)).body`. */
export type Chat = (typeof chat)['static']
export type ChatList = (typeof chatList)['static']
export type Message = (typeof message)['static']
export type Session = (typeof session)['static']
/** A refusal, of which tests read the code by hand; `expectProblem` checks all of it. */
export type Problem = { code: string }
