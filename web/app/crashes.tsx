import { Button } from '../shared/ui/button.tsx'
import { type BoundaryProps, ErrorBoundary } from '../shared/ui/error-boundary.tsx'
import { State } from '../shared/ui/state.tsx'
import { useLanguage } from './language.tsx'

/** Shows a message with a reload button where a part of the app has failed. */
export const Crashes = (props: BoundaryProps) => <ErrorBoundary {...props} message={<Crashed />} />

function Crashed() {
  const { t } = useLanguage()
  return (
    <State
      heading="h1"
      title={t(navigator.onLine ? 'app.crash.title' : 'app.crash.offline')}
      action={
        <Button look="primary" onClick={() => location.reload()}>
          {t('app.crash.reload')}
        </Button>
      }
    >
      {t('app.crash.text')}
    </State>
  )
}
