import { Component, type ReactNode } from 'react'

/** `isScreen` if the rest of the page is still there. */
export type BoundaryProps = { isScreen?: boolean; children: ReactNode }

/**
 * Shows a message in place of its children if one of them has thrown or could not be loaded, as after an update of the server.
 * A reload gets all parts of one version.
 */
export class ErrorBoundary extends Component<BoundaryProps & { message: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }
  static getDerivedStateFromError = () => ({ hasFailed: true })
  override render() {
    const { isScreen = false, message, children } = this.props
    if (!this.state.hasFailed) return children
    return isScreen ? message : <main>{message}</main>
  }
}
