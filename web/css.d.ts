// Bun's bundler collects imported styles in a file beside the script.
declare module '*.css'
