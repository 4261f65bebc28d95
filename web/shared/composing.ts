/**
 * Whether a key belongs to an input method, as when Enter confirms a Japanese or Chinese word. Safari ends the composition
 * before it sends that key, and marks it only by its code.
 */
export const isComposing = ({ isComposing, keyCode }: KeyboardEvent): boolean => isComposing || keyCode === 229
