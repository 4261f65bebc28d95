import { Component, type ReactNode } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { State } from '../shared/ui/state.tsx'
import { useLanguage } from './language.tsx'

/** Shows a way out instead of an empty page, as after an update of the server whose parts this page does not know. */
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
