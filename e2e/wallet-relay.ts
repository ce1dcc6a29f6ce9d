import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

export interface WalletRelay {
  url: string
  /** What was asked of it, and by whom: browsers name the page that they ask for. */
  requests: { from: 'page' | 'phone'; method: string; params: Record<string, unknown> }[]
  stop(): Promise<void>
}

type Sealed = { topic: string; message: string; publishedAt: number; tag: number }
type Call = { id: number; method?: string; params?: Record<string, unknown> }

/**
 * As much of a WalletConnect relay as two clients need to meet: it hands sealed messages on by
 * topic and keeps them for whoever subscribes later. It cannot read any of them.
 */
export async function startWalletRelay(port = 0): Promise<WalletRelay> {
  const server = new WebSocketServer({ host: '127.0.0.1', port })
  const subscribers = new Map<string, Set<WebSocket>>()
  const kept = new Map<string, Sealed[]>()
  const requests: WalletRelay['requests'] = []
  let nextId = 1

  function hand(socket: WebSocket, sealed: Sealed): void {
    const params = { id: idOf(sealed.topic), data: sealed }
    nextId += 1
    socket.send(JSON.stringify({ id: nextId, jsonrpc: '2.0', method: 'irn_subscription', params }))
  }
  function publish(from: WebSocket, topic: unknown, message: unknown, tag: unknown): true {
    const sealed = { topic: String(topic), message: String(message), publishedAt: Date.now(), tag: Number(tag) }
    kept.set(sealed.topic, [...(kept.get(sealed.topic) ?? []), sealed])
    for (const socket of subscribers.get(sealed.topic) ?? []) if (socket !== from) hand(socket, sealed)
    return true
  }
  function subscribe(socket: WebSocket, name: unknown): string {
    const topic = String(name)
    subscribers.set(topic, (subscribers.get(topic) ?? new Set()).add(socket))
    for (const sealed of kept.get(topic) ?? []) hand(socket, sealed)
    return idOf(topic)
  }
  function answer(socket: WebSocket, method: string, params: Record<string, unknown>): unknown {
    switch (method) {
      case 'irn_publish':
        return publish(socket, params.topic, params.message, params.tag)
      case 'wc_proposeSession':
        subscribe(socket, params.pairingTopic)
        return publish(socket, params.pairingTopic, params.sessionProposal, 1100)
      case 'wc_approveSession':
        subscribe(socket, params.sessionTopic)
        publish(socket, params.pairingTopic, params.sessionProposalResponse, 1101)
        return publish(socket, params.sessionTopic, params.sessionSettlementRequest, 1102)
      case 'irn_subscribe':
        return subscribe(socket, params.topic)
      case 'irn_batchSubscribe':
        return [params.topics].flat().map((topic) => subscribe(socket, topic))
      case 'irn_unsubscribe':
        return subscribers.get(String(params.topic))?.delete(socket) ?? false
      case 'irn_fetchMessages':
      case 'irn_batchFetchMessages':
        return { messages: [], hasMore: false }
      default:
        throw new Error(`This relay knows no ${method}`)
    }
  }

  server.on('connection', (socket, { headers }) => {
    const from = headers.origin === undefined ? 'phone' : 'page'
    socket.on('close', () => {
      for (const sockets of subscribers.values()) sockets.delete(socket)
    })
    socket.on('message', (text) => {
      const { id, method, params = {} }: Call = JSON.parse(String(text))
      // What has no method acknowledges what was handed on.
      if (method === undefined) return
      requests.push({ from, method, params })
      socket.send(JSON.stringify({ id, jsonrpc: '2.0', result: answer(socket, method, params) }))
    })
  })
  await new Promise((resolve) => server.once('listening', resolve))
  // It listens on a port, so it has an address of that kind.
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${taken}`,
    requests,
    async stop() {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function idOf(topic: string): string {
  return createHash('sha256').update(topic).digest('hex')
}
