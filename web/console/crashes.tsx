import { Component, type ReactNode } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { State } from '../shared/ui/state.tsx'
import { useLanguage } from './language.tsx'

/** Shows a reload button instead of an empty page, for example if an update of the server has replaced this page's files. */
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
        title={t('console.crash.title')}
        action={
          <Button look="primary" onClick={() => location.reload()}>
            {t('console.crash.reload')}
          </Button>
        }
      >
        {t('console.crash.text')}
      </State>
    </main>
  )
}
