/**
 * Asks a server in a thread of its own, as a client elsewhere would: what it takes to read an answer is not the server's. A
 * worker of the benches: takes `{ url, headers }`, answers `{ ms, body }`.
 */
declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<{ url: string; headers: Record<string, string> }>) => {
  const began = performance.now()
  const response = await fetch(data.url, { headers: data.headers })
  const bytes = await response.arrayBuffer()
  self.postMessage({ ms: performance.now() - began, body: new TextDecoder().decode(bytes) })
}
