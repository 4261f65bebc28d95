/** How a position is stored: `visible` to others, or `held_back` from them although its owner wants to be seen. */
export type Visibility = { visible: boolean; held_back: boolean }

/**
 * Nobody is shown without the mandatory consents or while reports hide them. The user's choice is kept until then.
 */
export const visibilityOf = (
  wantsToBeSeen: boolean,
  { hasConsented, isHidden }: { hasConsented: boolean; isHidden: boolean },
): Visibility => {
  const mayBeSeen = hasConsented && !isHidden
  return { visible: wantsToBeSeen && mayBeSeen, held_back: wantsToBeSeen && !mayBeSeen }
}

/** The user's choice; visible by default. */
export const choiceOf = (stored: Visibility | null | undefined): boolean =>
  !stored || stored.visible || stored.held_back
