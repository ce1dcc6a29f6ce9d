// A signal feed in twenty lines. Run: FEED_KEY=secret node --import tsx examples/feed.ts
// Then, in the admin area: endpoint ws://127.0.0.1:7070, API key "secret".
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { WebSocketServer } from 'ws'

const key = `Bearer ${process.env.FEED_KEY ?? 'secret'}`
const server = new WebSocketServer({
  port: 7070,
  host: '127.0.0.1',
  verifyClient: ({ req }: { req: IncomingMessage }) => req.headers.authorization === key,
})

const observe = () => ({
  id: randomUUID(),
  asset: 'BTC/USDT',
  anomalyType: 'Volume spike',
  confidence: 91.5,
  regime: 'High volatility',
  summary: 'Spot volume reached 3.2× its 7-day norm in 90 s.',
  priority: 'high',
  observedAt: new Date().toISOString(),
})
const send = () => {
  for (const client of server.clients) client.send(JSON.stringify(observe()))
}
server.on('connection', send)
setInterval(send, 60_000)
