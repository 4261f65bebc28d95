import { Component, type ReactNode } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { State } from '../shared/ui/state.tsx'
import { useLanguage } from './language.tsx'

/** `isScreen` if the rest of the page is still there. */
type Props = { isScreen?: boolean; children: ReactNode }

/** Shows a reload button instead of an empty page, for example if an update of the server has replaced this page's files. */
export class Crashes extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }
  static getDerivedStateFromError = () => ({ hasFailed: true })
  override render() {
    const { isScreen = false, children } = this.props
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
      title={t('console.crash.title')}
      action={
        <Button look="primary" onClick={() => location.reload()}>
          {t('console.crash.reload')}
        </Button>
      }
    >
      {t('console.crash.text')}
    </State>
  )
}
