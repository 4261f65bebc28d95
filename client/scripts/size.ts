// The sizes of what an app loads: minified with everything it needs but React, and gzipped.
import { join } from 'node:path'

// The aim for index is 8192.
export const limits = { index: 12_000, react: 2048 }

export async function sizes(): Promise<Record<keyof typeof limits, number>> {
  const measured: Record<string, number> = {}
  for (const name of Object.keys(limits)) {
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, `../src/${name}.ts`)],
      target: 'browser',
      minify: true,
      external: ['react'],
    })
    measured[name] = Bun.gzipSync(new Uint8Array(await built.outputs[0]!.arrayBuffer()), { level: 9 }).length
  }
  return measured as Record<keyof typeof limits, number>
}

if (import.meta.main) {
  const measured = await sizes()
  for (const [name, limit] of Object.entries(limits)) {
    const size = measured[name as keyof typeof limits]
    console.log(`${name}: ${size} of ${limit} bytes`)
    if (size > limit) process.exitCode = 1
  }
}
