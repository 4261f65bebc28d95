import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import type { Problem } from 'convene-client'
import { Button } from '../../shared/ui/button.tsx'
import { useLanguage } from '../language.tsx'
import styles from './nearby.module.css'
import { useNearbyStore } from './nearby-store.ts'
import { PositionProblem } from './no-position.tsx'
import { usePosition } from './position.ts'
import { problemText } from './problems.ts'
import { useShown, useVisible } from './shown.ts'

/** Says whether others can find the user, with a button that changes it at once. */
export function ShownCard() {
  const { t } = useLanguage()
  const store = useNearbyStore()
  const visible = useVisible()
  const shown = useShown()
  const [refused, setRefused] = useState<Problem | 'offline' | null>(null)
  const { asking, send } = usePosition(store.publish)
  const Icon = visible ? EyeOff : Eye
  return (
    <section
      className={`${styles.shown} ${shown === 'shown' ? '' : styles.hidden}`}
      aria-label={t('people.shownTitle')}
    >
      <p role="status">
        <strong>
          {shown === 'reports' || shown === 'consents'
            ? t(`people.shown.${shown}`)
            : t(shown === 'hiding' ? 'people.hidden' : 'people.shown')}
        </strong>
        {shown === 'hiding' && t('people.hiddenHint')}
      </p>
      <Button
        look={visible ? 'quiet' : 'primary'}
        icon={<Icon size={18} aria-hidden />}
        onClick={async () => setRefused(await store.show(!visible))}
      >
        {t(visible ? 'people.hide' : 'people.show')}
      </Button>
      {refused && <p role="alert">{problemText(t, refused === 'offline' ? null : refused)}</p>}
      <details>
        <summary>{t('people.whatOthersSee')}</summary>
        <p>{t('people.othersSee')}</p>
        <Button look="quiet" busy={asking === 'asking'} onClick={() => void send()}>
          {t('people.updatePosition')}
        </Button>
        <PositionProblem asking={asking} />
      </details>
    </section>
  )
}
