import { ConsentGate, isConsentKind } from './consents.tsx'

/** `missing` lists the kinds separated by spaces: as a string, it renders the screen again only when they change. */
export default function Gate({ missing, onLater }: { missing: string; onLater: () => void }) {
  return <ConsentGate missing={missing.split(' ').filter(isConsentKind)} onLater={onLater} />
}
