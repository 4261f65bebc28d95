import { ConsentGate, isConsentKind } from './consents.tsx'

/** `missing` are the kinds with spaces between, so that the screen is only drawn again when they change. */
export default function Gate({ missing, onLater }: { missing: string; onLater: () => void }) {
  return <ConsentGate missing={missing.split(' ').filter(isConsentKind)} onLater={onLater} />
}
