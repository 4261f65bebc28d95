// Bun's bundler collects imported styles in a file beside the script, and renames the classes of modules.
declare module '*.css'
declare module '*.module.css' {
  const classes: Record<string, string>
  export default classes
}
// With `type: 'file'`, an import is the URL of a separate file.
declare module '*/maplibre-gl.css' {
  const url: string
  export default url
}
declare module '*/maplibre-gl-worker.mjs' {
  const url: string
  export default url
}
declare module '*/libheif-without-unsafe-eval.js' {
  // Its only user declares the type.
  const build: () => any
  export default build
}
// The build lists the languages of a face from the files of its folder `texts`.
declare module 'texts:*' {
  const texts: import('./shared/language.tsx').Loaders
  export default texts
}
