/** What was examined; `fix` says how to fix it if it is wrong. */
export type Finding = { text: string; fix?: string }

export const wrong = (text: string, fix: string): Finding => ({ text, fix })
export const fine = (text: string): Finding => ({ text })

export const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
