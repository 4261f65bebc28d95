import { MessageCircle } from 'lucide-react'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { useParams } from 'wouter'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { Screen } from '../people/screen.tsx'
import styles from './chats.module.css'

const Chats = lazy(() => import('./chats.tsx'))
const Chat = lazy(() => import('./chat.tsx'))

const wide = matchMedia('(min-width: 1000px)')
const follow = (changed: () => void) => {
  wide.addEventListener('change', changed)
  return () => wide.removeEventListener('change', changed)
}

/** The list of chats and the open one: side by side on wide screens, one at a time on a phone. */
export default function Conversations() {
  const { t } = useLanguage()
  const { id } = useParams<{ id?: string }>()
  const isWide = useSyncExternalStore(follow, () => wide.matches)
  const waiting = <SkeletonRows label={t('app.loading')} />
  // The chat keeps its position in the tree, so that it keeps its state when the window becomes wide or narrow.
  return (
    <div className={isWide ? styles.beside : styles.alone}>
      {(isWide || id === undefined) && (
        <Suspense
          fallback={
            <Screen title={t('places.chats')} isLoading>
              {waiting}
            </Screen>
          }
        >
          <Chats open={id ?? null} />
        </Suspense>
      )}
      {id !== undefined ? (
        <Suspense fallback={waiting}>
          <Chat isBeside={isWide} />
        </Suspense>
      ) : (
        isWide && (
          <div className={styles.none}>
            <State icon={<MessageCircle size={32} />} title={t('chats.choose')} />
          </div>
        )
      )}
    </div>
  )
}
