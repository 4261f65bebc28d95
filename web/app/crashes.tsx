import { Component, type ReactNode } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { State } from '../shared/ui/state.tsx'
import { useLanguage } from './language.tsx'

/**
 * Shows a message with a reload button instead of an empty page if a part of the app has thrown or could not be loaded, as
 * after an update of the server. A reload gets all parts of one version. `isScreen` if the rest of the page is still there.
 */
export class Crashes extends Component<{ isScreen?: boolean; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }
  static getDerivedStateFromError = () => ({ hasFailed: true })
  override render() {
    const { isScreen, children } = this.props
    if (!this.state.hasFailed) return children
    if (isScreen) return <Crashed />
    return (
      <main>
        <Crashed />
      </main>
    )
  }
}

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
