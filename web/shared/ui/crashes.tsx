import { Component, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { State } from './state.tsx'

type Props = { children: ReactNode; crashed: ReactNode }

/** Shows `crashed` instead of an empty page if a part of the page has thrown or could not be loaded, as after an update of the server. */
export class CrashBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }
  static getDerivedStateFromError = () => ({ hasFailed: true })
  override render() {
    return this.state.hasFailed ? this.props.crashed : this.props.children
  }
}

/** A message with a button that reloads, which gets all parts of one version. */
export function Crashed({ title, text, reload }: { title: string; text: string; reload: string }) {
  return (
    <main>
      <State
        heading="h1"
        title={title}
        action={
          <Button look="primary" onClick={() => location.reload()}>
            {reload}
          </Button>
        }
      >
        {text}
      </State>
    </main>
  )
}
