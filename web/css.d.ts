// Bun's bundler collects imported styles in a file beside the script, and names the classes of modules anew.
declare module '*.css'
declare module '*.module.css' {
  const classes: Record<string, string>
  export default classes
}
