import { useConvene } from 'convene-client/react'
import { Download } from 'lucide-react'
import { Link } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { FailureText } from '../account/failure.tsx'
import { LegalLinks } from '../account/legal.tsx'
import { useLanguage } from '../language.tsx'
import { outcomeOf, useAction } from '../requests.ts'
import { Group, Part } from './loaded.tsx'
import styles from './settings.module.css'

const facts = ['profile', 'position', 'messages', 'photos', 'reviews', 'sign', 'safety'] as const

/** Explains what is stored about the user, who sees it and for how long, and exports all of it as a file. */
export default function Data() {
  const { t } = useLanguage()
  const { api, session } = useConvene()
  const download = useAction(async () => {
    const own = session.get().user?.id
    const { data, failure } = await outcomeOf(api.GET('/api/v1/me/export'))
    // Never give the next user of the device the data of this one.
    if (data && session.get().user?.id === own) save(data)
    return failure
  })
  return (
    <Part title={t('settings.data.title')}>
      <dl className={styles.facts}>
        {facts.map((fact) => (
          <div key={fact}>
            <dt>{t(`settings.data.${fact}`)}</dt>
            <dd>{t(`settings.data.${fact}Text`)}</dd>
          </div>
        ))}
      </dl>
      <Group>
        <Button wide busy={download.busy} icon={<Download size={20} aria-hidden />} onClick={() => download.run()}>
          {t('settings.data.export')}
        </Button>
        <p className={styles.quiet}>{t('settings.data.exportHint')}</p>
        <FailureText failure={download.failure} />
      </Group>
      <Link href="/settings/erase" className={`${styles.target} ${styles.danger}`}>
        {t('settings.erase.title')}
      </Link>
      <LegalLinks />
    </Part>
  )
}

/** Downloads a document as a JSON file. */
function save(document_: unknown) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(document_, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `my-data-${new Date().toISOString().slice(0, 10)}.json`
  link.click()
  // By then, the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
