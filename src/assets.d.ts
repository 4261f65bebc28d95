// Files imported as text (`with { type: 'text' }`), so that the compiled binary carries them.
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.md' {
  const text: string
  export default text
}
