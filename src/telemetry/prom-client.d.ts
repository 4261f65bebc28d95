// The parts of prom-client that are used, imported by their own paths: the whole library would load Node's HTTP client, cluster
// and worker modules at each start.
declare module 'prom-client/lib/counter.js' {
  export { Counter as default } from 'prom-client'
}
declare module 'prom-client/lib/gauge.js' {
  export { Gauge as default } from 'prom-client'
}
declare module 'prom-client/lib/histogram.js' {
  export { Histogram as default } from 'prom-client'
}
declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client'
}
declare module 'prom-client/lib/defaultMetrics.js' {
  export { collectDefaultMetrics as default } from 'prom-client'
}
declare module 'prom-client/lib/metrics/eventLoopLag.js' {
  import type { Registry } from 'prom-client'
  export default function (registry: Registry, config: { eventLoopMonitoringPrecision: number }): void
}
declare module 'prom-client/lib/cluster.js' {
  export { AggregatorRegistry as default } from 'prom-client'
}
