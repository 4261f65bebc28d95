import type { BotLanguage } from '../../features/bot/rules.ts'
import { days, hours, minutes } from '../../lib/time.ts'

type Texts = {
  /** On the button that opens the app. */
  open: string
  greeting: { account: string; noAccount: string }
  stopped: string
  reports(count: number, oldest: string): string
  units: { minutes: string; hours: string; days: string }
}

export const texts: Record<BotLanguage, Texts> = {
  en: {
    open: 'Open',
    greeting: {
      account:
        'Hello! I may write to you now. Turn on notifications by Telegram in the app, and they arrive here. /stop takes this back.',
      noAccount: 'Hello! Open the app to begin.',
    },
    stopped: 'I will not write to you any more. /start lets me write again.',
    reports: (count, oldest) => `Open reports: ${count}. The oldest has waited for ${oldest}.`,
    units: { minutes: 'min', hours: 'h', days: 'd' },
  },
  ru: {
    open: 'Открыть',
    greeting: {
      account:
        'Здравствуйте! Теперь я могу писать вам. Включите в приложении уведомления через Telegram, и они будут приходить сюда. Команда /stop отменяет это.',
      noAccount: 'Здравствуйте! Откройте приложение, чтобы начать.',
    },
    stopped: 'Больше я писать вам не буду. Команда /start снова разрешит мне писать.',
    reports: (count, oldest) => `Открытых жалоб: ${count}. Самая старая ждёт ${oldest}.`,
    units: { minutes: 'мин', hours: 'ч', days: 'дн.' },
  },
}

/** A time as somebody reads it, in its largest whole unit. */
export function shownAge(ms: number, language: BotLanguage): string {
  const { units } = texts[language]
  if (ms >= 2 * days) return `${Math.floor(ms / days)} ${units.days}`
  if (ms >= 2 * hours) return `${Math.floor(ms / hours)} ${units.hours}`
  return `${Math.max(1, Math.floor(ms / minutes))} ${units.minutes}`
}
