import { Component, type ReactNode } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { State } from '../shared/ui/state.tsx'
import { useLanguage } from './language.tsx'

/**
 * Shows a message with a reload button instead of an empty page if a part of the app has thrown or could not be loaded, as
 * after an update of the server. A reload gets all parts of one version.
 */
export class Crashes extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }
  static getDerivedStateFromError = () => ({ hasFailed: true })
  override render() {
    return this.state.hasFailed ? <Crashed /> : this.props.children
  }
}

function Crashed() {
  const { t } = useLanguage()
  return (
    <main>
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
    </main>
  )
}
