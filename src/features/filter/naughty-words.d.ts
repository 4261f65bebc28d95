declare module 'naughty-words' {
  const words: Readonly<Record<string, readonly string[]>>
  export default words
}
