/** All rows of a list, up to `size` at a time: each batch is read after the last row of the one before. */
export async function* batches<Row>(
  size: number,
  read: (last: Row | null) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Row | null = null; ;) {
    const rows: readonly Row[] = await read(last)
    yield rows
    const end = rows.at(-1)
    if (end === undefined || rows.length < size) return
    last = end
  }
}
