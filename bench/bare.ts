/**
 * A server of Bun alone, for measuring what the rest costs: it answers the bytes that it was given, passes the frame that
 * it was given on to who listens, and does nothing else. Started by the benches.
 */
type Answer = { status: number; headers: Record<string, string>; body: string }
type Socket = { topic: string }

const { PORT, ANSWER, FRAME = '' } = process.env
const { body, ...init } = JSON.parse(ANSWER!) as Answer

const server = Bun.serve<Socket, '/answer' | '/publish/:chat' | '/ws/:topic'>({
  port: Number(PORT),
  hostname: '127.0.0.1',
  routes: {
    '/answer': () => new Response(body, init),
    '/publish/:chat': async (request) => {
      await request.text()
      for (const side of ['a', 'b']) server.publish(`${request.params.chat}-${side}`, FRAME)
      return new Response(body, init)
    },
    '/ws/:topic': (request) => {
      const { topic } = request.params
      if (!server.upgrade(request, { data: { topic } })) return new Response(null, { status: 400 })
    },
  },
  websocket: { open: (ws) => void ws.subscribe(ws.data.topic), message() {} },
})
