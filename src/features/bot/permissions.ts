import type { InitData } from '../auth/init-data.ts'
import { botLanguageOf } from './rules.ts'
import type { BotStore } from './store.ts'

export type BotPermissions = ReturnType<typeof botPermissions>

type Deps = {
  store: Pick<BotStore, 'chatOf' | 'note' | 'refused'>
  /** Whether this server runs the bot. */
  isOn: boolean
  now: () => number
}

/** Whether the bot may write to a user. Without the bot it may write to nobody. */
export function botPermissions({ store, isOn, now }: Deps) {
  return {
    async mayWrite(userId: string): Promise<boolean> {
      return isOn && (await store.chatOf(userId)) !== null
    },

    /** Where the bot writes to a user; null if it may not. */
    async targetOf(userId: string): Promise<{ messenger_id: string } | null> {
      const chat = isOn ? await store.chatOf(userId) : null
      return chat === null ? null : { messenger_id: chat.messenger_id }
    },

    /** Records the permission in init data with which the user logged in or linked the messenger. */
    async noteInitData(
      userId: string,
      { messenger_id, allows_write, language }: Pick<InitData, 'messenger_id' | 'allows_write' | 'language'>,
    ): Promise<void> {
      if (!isOn || !allows_write) return
      if ((await store.chatOf(userId))?.messenger_id === messenger_id) return
      await store.note(userId, { messenger_id, language: botLanguageOf(language) }, 'init_data', now())
    },

    /** Records that the messenger refuses messages to this chat. */
    refused: (messengerId: string): Promise<void> => store.refused(messengerId, now()),
  }
}
