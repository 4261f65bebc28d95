import { Clock, EyeOff, MapPin, MapPinOff } from 'lucide-react'
import { Button } from '../../shared/ui/button.tsx'
import { leaveFocus } from '../../shared/ui/focus.ts'
import { useLanguage } from '../language.tsx'
import styles from './nearby.module.css'
import { useNearbyStore } from './nearby-store.ts'
import { type Asking, usePosition } from './position.ts'
import { problemText } from './problems.ts'

/** Shown before the first position: why it is needed, what is stored of it, and the button that asks the device. */
export function NoPosition() {
  const { t } = useLanguage()
  const store = useNearbyStore()
  const { asking, send } = usePosition(store.publish)
  return (
    <section ref={leaveFocus} className={styles.position}>
      <h2>{t('people.position.title')}</h2>
      <p>{t('people.position.why')}</p>
      <ul>
        <li>
          <MapPinOff size={22} aria-hidden />
          {t('people.position.rough')}
        </li>
        <li>
          <EyeOff size={22} aria-hidden />
          {t('people.position.notKept')}
        </li>
        <li>
          <Clock size={22} aria-hidden />
          {t('people.position.howLong')}
        </li>
      </ul>
      <PositionProblem asking={asking} />
      <Button
        look="primary"
        wide
        busy={asking === 'asking'}
        icon={<MapPin size={20} aria-hidden />}
        onClick={() => void send()}
      >
        {t(asking === 'asking' ? 'people.position.asking' : 'people.position.share')}
      </Button>
    </section>
  )
}

/** Why there is no position, and what to do. */
export function PositionProblem({ asking }: { asking: Asking }) {
  const { t } = useLanguage()
  if (asking === 'idle' || asking === 'asking') return null
  return (
    <p className={styles.problem} role="alert">
      {typeof asking === 'object'
        ? problemText(t, asking.refused === 'offline' ? null : asking.refused)
        : t(`people.position.${asking}`)}
    </p>
  )
}
