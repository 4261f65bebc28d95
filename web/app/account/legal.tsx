import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { dateOf } from '../../shared/dates.ts'
import { useLanguage } from '../language.tsx'
import { failureText, useResource } from '../requests.ts'
import styles from './layout.module.css'

type Kind = components['schemas']['LegalKind'] | 'childSafety'
type Text = components['schemas']['LegalText'] | components['schemas']['ChildSafetyText']
const Markdown = lazy(() => import('./markdown.tsx'))

/** One of the community's texts, in a sheet over the current screen. */
export function LegalSheet({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const { t, language } = useLanguage()
  const { api } = useConvene()
  const query = { lang: language }
  const { data, failure, reload } = useResource<Text | string>(() =>
    kind === 'childSafety'
      ? api.GET('/api/v1/legal/child-safety', { params: { query } })
      : api.GET('/api/v1/legal/{kind}', { params: { path: { kind }, query } }),
  )
  return (
    <Sheet title={t(`account.legal.${kind}`)} closeLabel={t('app.close')} onClose={onClose}>
      {data !== null && typeof data === 'object' ? (
        <Suspense fallback={<SkeletonRows label={t('app.loading')} count={4} />}>
          <p className={styles.small}>
            {t('account.legal.updated', { date: dateOf(language, new Date(data.updated_at)) })}
          </p>
          <div className={styles.legal} lang={data.language}>
            <Markdown text={data.text} />
          </div>
        </Suspense>
      ) : failure ? (
        <State title={failureText(t, failure)} action={<Button onClick={reload}>{t('app.retry')}</Button>} />
      ) : (
        <SkeletonRows label={t('app.loading')} count={4} />
      )}
    </Sheet>
  )
}

export function LegalLinks() {
  const { t } = useLanguage()
  const [read, setRead] = useState<Kind | null>(null)
  return (
    <div className={styles.links}>
      {(['terms', 'privacy', 'disclaimer', 'childSafety'] as const).map((kind) => (
        <button key={kind} type="button" className={styles.inline} onClick={() => setRead(kind)}>
          {t(`account.legal.${kind}`)}
        </button>
      ))}
      {read && <LegalSheet kind={read} onClose={() => setRead(null)} />}
    </div>
  )
}
