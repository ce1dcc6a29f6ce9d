import { type AlertStream, byApiKey, byWalletSignature, openAlertStream } from '@tocsin/client'
import type { HDAccount } from 'viem/accounts'
import { type ClientOptions, WebSocket } from 'ws'
import { call, getLoopbackAddress, PUBLIC_URL } from './http-client.ts'
import type { Journal, SubscriberRecord } from './journal.ts'
import { findCanary, ReceivedAlerts } from './received-alerts.ts'

/** A customer with a running subscription, who connects with an API key or a wallet. */
export interface Customer {
  name: string
  accountId: string
  /** API key with which the customer reads lists. */
  apiKey: string
  /** True if the stream is authenticated by the wallet instead of the API key. */
  provesWallet: boolean
  wallet: HDAccount
}

const RELOAD_RETRY_MS = 1_000

/** Opens a customer's stream with the published client package, and records what it reports. */
export function subscribe(
  journal: Journal,
  customer: Customer,
  { number, port, httpPort }: { number: number; port: number; httpPort: number },
): AlertStream {
  const received = new ReceivedAlerts()
  const record: SubscriberRecord = {
    name: customer.name,
    accountId: customer.accountId,
    received,
    updatesAtMs: [],
    gaps: [],
    reloads: [],
    liveAtMs: null,
    closedAtMs: null,
  }
  journal.subscribers.push(record)
  const from = getLoopbackAddress(number)
  const { apiKey, provesWallet } = customer
  let lastCloseText = ''
  const recordSocketEvent = (text: string) => {
    if (text === 'connects') lastCloseText = ''
    if (text.startsWith('closed')) lastCloseText = text
    const gap = record.gaps.at(-1)
    if (gap?.untilMs === null) gap.events.push({ atMs: Date.now(), text })
  }
  const stream = openAlertStream({
    url: `ws://127.0.0.1:${port}/ws${provesWallet ? '' : '?auth=key'}`,
    WebSocket: createSocketClass({ localAddress: from }, recordSocketEvent),
    authenticate: provesWallet ? byWalletSignature(customer.wallet) : byApiKey(apiKey),
    onAlert: ({ logIndex, summary }) => received.push({ logIndex, canary: findCanary(summary), atMs: Date.now() }),
    onUpdate: () => void record.updatesAtMs.push(Date.now()),
    onLive({ recovered }) {
      record.liveAtMs ??= Date.now()
      closeGap(record)
      if (!recovered) void reloadMissedAlerts(record, apiKey, { port: httpPort, from, stream: () => stream })
    },
    onState(state) {
      const isNewGap = state === 'reconnecting' && record.liveAtMs !== null && record.gaps.at(-1)?.untilMs !== null
      if (!isNewGap) return
      const fromMs = Date.now()
      record.gaps.push({ fromMs, untilMs: null, events: [{ atMs: fromMs, text: lastCloseText || 'no message' }] })
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

/**
 * Reads the list of alerts, as the protocol requires if the stream could not send all missed
 * alerts.
 */
async function reloadMissedAlerts(
  record: SubscriberRecord,
  apiKey: string,
  { port, from, stream }: { port: number; from: string; stream: () => AlertStream },
): Promise<void> {
  const upToIndex = stream().cursor.lastIndex ?? Number.MAX_SAFE_INTEGER
  const entry: SubscriberRecord['reloads'][number] = { upToIndex, atMs: Date.now(), isDone: false, indexes: [] }
  const lastIndex = record.received.at(-1)?.logIndex ?? -1
  record.reloads.push(entry)
  const headers = { authorization: `Bearer ${apiKey}` }
  for (let cursor = ''; !entry.isDone && record.closedAtMs === null; ) {
    const { status, body } = await call({
      port,
      path: `/api/alerts/search?limit=100${cursor}`,
      localAddress: from,
      headers,
    })
    if (status !== 200) {
      await new Promise((resolve) => setTimeout(resolve, RELOAD_RETRY_MS))
      continue
    }
    const page: { items: { alert: { logIndex: number; locked?: true } }[]; next: string | null } = JSON.parse(body)
    const readIndexes = page.items.flatMap(({ alert: { logIndex, locked } }) => (locked ? [] : [logIndex]))
    entry.indexes.push(...readIndexes)
    entry.isDone = page.next === null || readIndexes.some((index) => index <= lastIndex)
    cursor = `&cursor=${page.next}`
  }
}

/**
 * Creates the WebSocket class of a client. It connects from the client's own address, sends the
 * public host name, and reports when the socket connects, opens, fails and closes.
 */
export function createSocketClass(options: ClientOptions, onEvent: (text: string) => void = () => {}) {
  return class extends WebSocket {
    constructor(url: string) {
      super(url, {
        perMessageDeflate: false,
        ...options,
        headers: { host: new URL(PUBLIC_URL).host, ...options.headers },
      })
      onEvent('connects')
      this.on('open', () => onEvent('open'))
      this.on('error', ({ message }) => onEvent(message))
      this.on('close', (code, reason) => onEvent(`closed with ${code} ${reason}`.trim()))
    }
  }
}
