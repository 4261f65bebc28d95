/** A position that no rounding leaves as it is, with the bytes and digits by which it would be found anywhere. */
export const truth = { latitude: 41.123456789, longitude: -71.987654321 }

export const tracesOfTruth: (string | Buffer)[] = [
  ...Object.values(truth).flatMap((value) => {
    const [big, little] = [Buffer.alloc(8), Buffer.alloc(8)]
    big.writeDoubleBE(value)
    little.writeDoubleLE(value)
    return [big, little]
  }),
  '41.1234',
  '71.98765',
]
