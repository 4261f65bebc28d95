// Bun's bundler collects imported styles in a file beside the script, and names the classes of modules anew.
declare module '*.css'
declare module '*.module.css' {
  const classes: Record<string, string>
  export default classes
}
// With `type: 'file'`, an import is the address of a file of its own.
declare module '*/maplibre-gl.css' {
  const url: string
  export default url
}
declare module '*/maplibre-gl-worker.mjs' {
  const url: string
  export default url
}
declare module '*/libheif-without-unsafe-eval.js' {
  // What is used of it is declared where it is used.
  const build: () => any
  export default build
}
// The build lists the languages of a face from the files of its folder `texts`.
declare module 'texts:*' {
  const texts: import('./shared/language.tsx').Loaders
  export default texts
}
