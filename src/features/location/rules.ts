/** How a position is stored: `visible` to others, or `held_back` from them although its owner wants to be seen. */
export type Visibility = { visible: boolean; held_back: boolean }

/**
 * Nobody is shown without the mandatory consents, nor while reports hide them; the choice is kept for when that is over.
 */
export const visibilityOf = (
  wantsToBeSeen: boolean,
  { hasConsented, isHidden }: { hasConsented: boolean; isHidden: boolean },
): Visibility => {
  const mayBeSeen = hasConsented && !isHidden
  return { visible: wantsToBeSeen && mayBeSeen, held_back: wantsToBeSeen && !mayBeSeen }
}

/** What a user has chosen; visible by default. */
export const choiceOf = (stored: Visibility | null | undefined): boolean =>
  !stored || stored.visible || stored.held_back
