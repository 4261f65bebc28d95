declare module 'cluster-key-slot' {
  /** The slot of a key or channel in a Redis Cluster, 0 to 16383. */
  export default function slotOf(key: string): number
}
