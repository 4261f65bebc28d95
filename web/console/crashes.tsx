import type { ReactNode } from 'react'
import { Crashed, CrashBoundary } from '../shared/ui/crashes.tsx'
import { useLanguage } from './language.tsx'

/** Shows a message with a reload button instead of an empty page. */
export const Crashes = ({ children }: { children: ReactNode }) => (
  <CrashBoundary crashed={<ConsoleCrashed />}>{children}</CrashBoundary>
)

function ConsoleCrashed() {
  const { t } = useLanguage()
  return <Crashed title={t('console.crash.title')} text={t('console.crash.text')} reload={t('console.crash.reload')} />
}
