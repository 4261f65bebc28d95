import type { ReactNode } from 'react'
import { Crashed, CrashBoundary } from '../shared/ui/crashes.tsx'
import { useLanguage } from './language.tsx'

/** Shows a message with a reload button instead of an empty page. */
export const Crashes = ({ children }: { children: ReactNode }) => (
  <CrashBoundary crashed={<AppCrashed />}>{children}</CrashBoundary>
)

function AppCrashed() {
  const { t } = useLanguage()
  const title = t(navigator.onLine ? 'app.crash.title' : 'app.crash.offline')
  return <Crashed title={title} text={t('app.crash.text')} reload={t('app.crash.reload')} />
}
