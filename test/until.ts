/** Waits until it is so. The limit is for what never comes: a busy machine is slow. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string, withinMs = 20_000) {
  const end = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(5)
  }
}
