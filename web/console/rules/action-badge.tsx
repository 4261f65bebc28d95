import { useLanguage } from '../language.tsx'
import { Badge, type Tone } from '../ui/page.tsx'
import type { Action } from './rule-form.ts'

const tones: Record<Action, Tone> = { refuse: 'danger', hold: 'notice', flag: 'accent', note: 'plain' }

export function ActionBadge({ action }: { action: Action }) {
  const { t } = useLanguage()
  return <Badge tone={tones[action]}>{t(`rules.action.${action}`)}</Badge>
}
