import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

export interface WalletRelay {
  url: string
  /** The requests in order. `from` is `page` if the connection has an Origin header. */
  requests: { from: 'page' | 'phone'; method: string; params: Record<string, unknown> }[]
  stop(): Promise<void>
}

type EncryptedMessage = { topic: string; message: string; publishedAt: number; tag: number }
type RelayRequest = { id: number; method?: string; params?: Record<string, unknown> }

/**
 * Starts a minimal WalletConnect relay: it forwards encrypted messages by topic and stores them for
 * later subscribers. It cannot decrypt them.
 */
export async function startWalletRelay(port = 0): Promise<WalletRelay> {
  const server = new WebSocketServer({ host: '127.0.0.1', port })
  const subscribers = new Map<string, Set<WebSocket>>()
  const storedMessages = new Map<string, EncryptedMessage[]>()
  const requests: WalletRelay['requests'] = []
  let nextId = 1

  function deliverMessage(socket: WebSocket, encryptedMessage: EncryptedMessage): void {
    const params = { id: createSubscriptionId(encryptedMessage.topic), data: encryptedMessage }
    nextId += 1
    socket.send(JSON.stringify({ id: nextId, jsonrpc: '2.0', method: 'irn_subscription', params }))
  }
  function publishMessage(from: WebSocket, topic: unknown, message: unknown, tag: unknown): true {
    const encryptedMessage = {
      topic: String(topic),
      message: String(message),
      publishedAt: Date.now(),
      tag: Number(tag),
    }
    storedMessages.set(encryptedMessage.topic, [
      ...(storedMessages.get(encryptedMessage.topic) ?? []),
      encryptedMessage,
    ])
    for (const socket of subscribers.get(encryptedMessage.topic) ?? [])
      if (socket !== from) deliverMessage(socket, encryptedMessage)
    return true
  }
  function addSubscriber(socket: WebSocket, name: unknown): string {
    const topic = String(name)
    subscribers.set(topic, (subscribers.get(topic) ?? new Set()).add(socket))
    for (const encryptedMessage of storedMessages.get(topic) ?? []) deliverMessage(socket, encryptedMessage)
    return createSubscriptionId(topic)
  }
  function handleRequest(socket: WebSocket, method: string, params: Record<string, unknown>): unknown {
    switch (method) {
      case 'irn_publish':
        return publishMessage(socket, params.topic, params.message, params.tag)
      case 'wc_proposeSession':
        addSubscriber(socket, params.pairingTopic)
        return publishMessage(socket, params.pairingTopic, params.sessionProposal, 1100)
      case 'wc_approveSession':
        addSubscriber(socket, params.sessionTopic)
        publishMessage(socket, params.pairingTopic, params.sessionProposalResponse, 1101)
        return publishMessage(socket, params.sessionTopic, params.sessionSettlementRequest, 1102)
      case 'irn_subscribe':
        return addSubscriber(socket, params.topic)
      case 'irn_batchSubscribe':
        return [params.topics].flat().map((topic) => addSubscriber(socket, topic))
      case 'irn_unsubscribe':
        return subscribers.get(String(params.topic))?.delete(socket) ?? false
      case 'irn_fetchMessages':
      case 'irn_batchFetchMessages':
        return { messages: [], hasMore: false }
      default:
        throw new Error(`Unsupported relay method: ${method}`)
    }
  }

  server.on('connection', (socket, { headers }) => {
    const senderName = headers.origin === undefined ? 'phone' : 'page'
    socket.on('close', () => {
      for (const sockets of subscribers.values()) sockets.delete(socket)
    })
    socket.on('message', (text) => {
      const { id, method, params = {} }: RelayRequest = JSON.parse(String(text))
      // A message without a method acknowledges a delivery.
      if (method === undefined) return
      requests.push({ from: senderName, method, params })
      socket.send(JSON.stringify({ id, jsonrpc: '2.0', result: handleRequest(socket, method, params) }))
    })
  })
  await new Promise((resolve) => server.once('listening', resolve))
  // The address of a server that listens on a TCP port is an AddressInfo.
  const { port: boundPort } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${boundPort}`,
    requests,
    async stop() {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function createSubscriptionId(topic: string): string {
  return createHash('sha256').update(topic).digest('hex')
}
