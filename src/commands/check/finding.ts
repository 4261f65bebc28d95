/** What was examined; `mend` says how to fix it if it is wrong. */
export type Finding = { text: string; mend?: string }

export const wrong = (text: string, mend: string): Finding => ({ text, mend })
export const fine = (text: string): Finding => ({ text })

export const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
