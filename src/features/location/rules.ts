/** How a position is stored: `visible` to others, or `held_back` from them although its owner wants to be seen. */
export type Visibility = { visible: boolean; held_back: boolean }

/** Nobody is shown without the mandatory consents; the choice is kept for when they are given. */
export const visibilityOf = (wantsToBeSeen: boolean, hasConsented: boolean): Visibility => ({
  visible: wantsToBeSeen && hasConsented,
  held_back: wantsToBeSeen && !hasConsented,
})

/** What somebody has chosen; whoever has not chosen yet wants to be seen. */
export const choiceOf = (stored: Visibility | null | undefined): boolean =>
  !stored || stored.visible || stored.held_back
