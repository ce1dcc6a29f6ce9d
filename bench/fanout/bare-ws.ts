import { type WebSocket, WebSocketServer } from 'ws'
import type { Answer, Order } from './product.ts'

/**
 * Runs a baseline server: the package ws with a simple loop over its clients, without
 * authentication, entitlements or ordering.
 */
const say = (answer: Answer) => process.send?.(answer)
const clients = new Set<WebSocket>()
const alert = JSON.stringify({ type: 'new_alert', alert: { text: 'x'.repeat(1_160) } })

process.on('message', (order: Order) => {
  if ('config' in order) {
    const server = new WebSocketServer({
      port: order.config.http?.port ?? 0,
      host: '127.0.0.1',
      perMessageDeflate: false,
    })
    server.on('connection', (client) => {
      clients.add(client)
      client.on('message', () => client.send('{"type":"live"}'))
    })
    server.on('listening', () => say({ up: true }))
  } else if ('publish' in order) {
    const committedAt = process.hrtime.bigint()
    for (let left = order.publish; left > 0; left -= 1) for (const client of clients) client.send(alert)
    say({ committedAt: String(committedAt) })
  } else {
    globalThis.gc?.()
    say({ collected: true })
  }
})
process.on('disconnect', () => process.exit(0))
