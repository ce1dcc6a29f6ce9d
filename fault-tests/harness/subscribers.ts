import { type AlertStream, byApiKey, byProgram, openAlertStream } from '@tocsin/client'
import type { HDAccount } from 'viem/accounts'
import { type ClientOptions, WebSocket } from 'ws'
import { addressOf, call, PUBLIC_URL } from './http-client.ts'
import { findCanary, type Journal, type SubscriberRecord } from './journal.ts'

/** A customer with a running subscription, who connects with an API key or a wallet. */
export interface Customer {
  name: string
  accountId: string
  /** Also reads lists over HTTP; null if the customer has no key. */
  apiKey: string | null
  wallet: HDAccount
}

const RELOAD_RETRY_MS = 1_000

/** Opens a customer's stream with the published client package, and records what it reports. */
export function subscribe(
  journal: Journal,
  customer: Customer,
  { number, port, httpPort }: { number: number; port: number; httpPort: number },
): AlertStream {
  const record: SubscriberRecord = {
    name: customer.name,
    accountId: customer.accountId,
    received: [],
    updatesAtMs: [],
    gaps: [],
    reloads: [],
    liveAtMs: null,
    closedAtMs: null,
  }
  journal.subscribers.push(record)
  const from = addressOf(number)
  const { apiKey } = customer
  const stream = openAlertStream({
    url: `ws://127.0.0.1:${port}/ws${apiKey === null ? '' : '?auth=key'}`,
    WebSocket: createSocketClass({ localAddress: from }),
    authenticate: apiKey === null ? byProgram(customer.wallet) : byApiKey(apiKey),
    onAlert: ({ logIndex, summary }) =>
      void record.received.push({ logIndex, canary: findCanary(summary), atMs: Date.now() }),
    onUpdate: () => void record.updatesAtMs.push(Date.now()),
    onLive({ recovered }) {
      record.liveAtMs ??= Date.now()
      closeGap(record)
      if (!recovered) void reload(record, apiKey, { port: httpPort, from, stream: () => stream })
    },
    onState(state) {
      const isLost = state === 'reconnecting' && record.liveAtMs !== null && record.gaps.at(-1)?.untilMs !== null
      if (isLost) record.gaps.push({ fromMs: Date.now(), untilMs: null })
    },
    onEnded: () => markClosed(record),
    onRefused: () => markClosed(record),
  })
  return {
    get state() {
      return stream.state
    },
    get lastMessageAt() {
      return stream.lastMessageAt
    },
    get cursor() {
      return stream.cursor
    },
    probe: () => stream.probe(),
    close() {
      markClosed(record)
      stream.close()
    },
  }
}

function markClosed(record: SubscriberRecord): void {
  record.closedAtMs ??= Date.now()
}

function closeGap(record: SubscriberRecord): void {
  const last = record.gaps.at(-1)
  if (last && last.untilMs === null) last.untilMs = Date.now()
}

/** As the protocol asks: reads the list if the stream could not send everything that was missed. */
async function reload(
  record: SubscriberRecord,
  apiKey: string | null,
  { port, from, stream }: { port: number; from: string; stream: () => AlertStream },
): Promise<void> {
  const entry = { upToIndex: stream().cursor.lastIndex ?? Number.MAX_SAFE_INTEGER, atMs: Date.now(), isDone: false }
  record.reloads.push(entry)
  const headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
  while (!entry.isDone && record.closedAtMs === null) {
    const { status } = await call({ port, path: '/api/alerts/recent', from, headers })
    entry.isDone = status === 200
    if (!entry.isDone) await new Promise((resolve) => setTimeout(resolve, RELOAD_RETRY_MS))
  }
}

/** The WebSocket of a client with its own address, which asks for the public host. */
export function createSocketClass(options: ClientOptions) {
  return class extends WebSocket {
    constructor(url: string) {
      super(url, {
        perMessageDeflate: false,
        ...options,
        headers: { host: new URL(PUBLIC_URL).host, ...options.headers },
      })
    }
  }
}
