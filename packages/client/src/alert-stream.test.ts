import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getAlert } from '../../protocol/test/support/sample-alert.ts'
import { type AlertStream, openAlertStream, parseMessage, type StreamOptions } from './alert-stream.ts'
import { bySession, byWalletSignature } from './authenticate.ts'
import type { Socket } from './socket.ts'

const walletAddress = `0x${'ab'.repeat(20)}`
const logId = `0x${'11'.repeat(32)}`
const challenge = {
  type: 'challenge',
  domain: 'localhost:3000',
  uri: 'http://localhost:3000',
  chainId: 1,
  statement: 'Sign in to receive alerts.',
  nonce: 'abcdefgh12345678',
  issuedAt: '2026-11-21T14:00:00.000Z',
  expiresAt: '2026-11-21T14:01:00.000Z',
}

class FakeSocket implements Socket {
  sent: unknown[] = []
  closed = false
  onopen: Socket['onopen'] = null
  onmessage: Socket['onmessage'] = null
  onclose: Socket['onclose'] = null
  onerror: Socket['onerror'] = null

  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }

  close(): void {
    this.closed = true
  }
}

const openedStreams: AlertStream[] = []

function setUp(options: Partial<StreamOptions> = {}) {
  const sockets: FakeSocket[] = []
  const events: string[] = []
  const stream = openAlertStream({
    url: 'ws://localhost/ws',
    authenticate: bySession(walletAddress),
    onState: (state) => events.push(state),
    onAlert: ({ logIndex }, isMissed) => events.push(`${isMissed ? 'missed' : 'fresh'} ${logIndex}`),
    onUpdate: ({ logIndex }) => events.push(`update ${logIndex}`),
    onLive: ({ missed, recovered, isFirst }) => events.push(`live ${missed} ${recovered} ${isFirst}`),
    onRefused: (message) => events.push(`refused: ${message}`),
    onEnded: () => events.push('ended'),
    onReplaced: () => events.push('replaced'),
    onError: (error) => events.push(String(error)),
    onUnknown: (data) => events.push(`unknown ${data}`),
    random: () => 1,
    WebSocket: class extends FakeSocket {
      constructor() {
        super()
        sockets.push(this)
      }
    },
    ...options,
  })
  openedStreams.push(stream)
  const last = () => {
    const socket = sockets.at(-1)
    if (!socket) throw new Error('no socket was opened')
    return socket
  }
  return {
    stream,
    sockets,
    events,
    last,
    async open() {
      // The stream does not use the event object.
      last().onopen?.(undefined as never)
      await vi.advanceTimersByTimeAsync(0)
    },
    async receive(message: object) {
      // Event types differ between platforms, so Socket declares them as never.
      last().onmessage?.({ data: JSON.stringify(message) } as never)
      await vi.advanceTimersByTimeAsync(0)
    },
    dropConnection: (code = 1006, reason = '') => last().onclose?.({ code, reason } as never),
  }
}

const createLiveMessage = (lastIndex: number | null = null, recovered = true) => ({
  type: 'live',
  lastIndex,
  logId,
  recovered,
})
const createUpdateMessage = (logIndex: number) => ({ ...createAlertMessage(logIndex), isUpdate: true })
const createAlertMessage = (logIndex: number) => ({ type: 'new_alert', alert: getAlert(logIndex) })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  for (const stream of openedStreams.splice(0)) stream.close()
  vi.useRealTimers()
})

describe('parseMessage', () => {
  it.each(['', 'not JSON', '{}', '{"type":"unheard_of"}', '{"type":"heartbeat"}', new ArrayBuffer(2)])(
    'returns null for %j',
    (text) => {
      expect(parseMessage(text)).toBeNull()
    },
  )

  it('drops unknown fields of a known message', () => {
    expect(parseMessage(JSON.stringify({ ...createLiveMessage(7), later: 'field' }))).toEqual(createLiveMessage(7))
  })
})

describe('openAlertStream', () => {
  it('requests compact proofs and reports them if it has a callback for them', async () => {
    const proof = { merklePath: ['0x01'], treeSize: 8, root: '0x02', avalancheTx: '0x03', anchoredAt: null }
    const received = { id: 'alert-7', logIndex: 7, ...proof }
    const onProof = vi.fn()
    const { open, receive, last, events, stream } = setUp({ onProof })
    await open()
    expect(last().sent).toEqual([{ type: 'authenticate', walletAddress, proofs: 'compact' }])
    await receive({ type: 'alert_proof', ...received })
    expect(onProof.mock.calls).toEqual([[received]])
    // The proof may belong to an alert whose delivery follows, so the cursor must not pass it.
    expect([events, stream.cursor]).toEqual([[], {}])
  })

  it('reconnects and requests whole alerts when an earlier version of the server rejects compact proofs', async () => {
    const { open, receive, last, events } = setUp({ onProof: vi.fn() })
    await open()
    await receive({ type: 'authentication_failed', message: 'Unrecognized key: "proofs"' })
    await vi.advanceTimersByTimeAsync(600)
    await open()
    expect(last().sent).toEqual([{ type: 'authenticate', walletAddress }])
    await receive(createUpdateMessage(7))
    expect(events).toEqual(['reconnecting', 'update 7'])
  })

  it('requests whole alerts after an anchor if it has no callback for proofs', async () => {
    const { open, last } = setUp()
    await open()
    expect(last().sent).toEqual([{ type: 'authenticate', walletAddress }])
  })

  it('stops permanently when authentication fails', async () => {
    const { receive, sockets, events, stream } = setUp()
    await receive({ type: 'authentication_failed', message: 'Verify this wallet first' })
    stream.probe()
    vi.advanceTimersByTime(600_000)
    expect(sockets).toHaveLength(1)
    expect(events).toEqual(['offline', 'refused: Verify this wallet first'])
  })

  it.each([
    [4401, 1, ['offline', 'ended']],
    [4429, 1, ['offline', 'replaced']],
    [4403, 2, ['reconnecting', 'ended']],
  ])('after close code %i opens %i sockets in total', (code, count, expected) => {
    const { dropConnection, sockets, events } = setUp()
    dropConnection(code)
    vi.advanceTimersByTime(5000)
    expect(sockets).toHaveLength(count)
    expect(events).toEqual(expected)
  })

  it('reports a message of an unknown type and continues', async () => {
    const { receive, events } = setUp()
    await receive({ type: 'unheard_of' })
    await receive(createLiveMessage(7))
    expect(events).toEqual(['unknown {"type":"unheard_of"}', 'live', 'live 0 true true'])
  })

  it('sends its cursor and log id when it reconnects', async () => {
    const { open, last, receive, dropConnection, stream } = setUp({ from: { lastIndex: 41 } })
    await open()
    expect(last().sent).toEqual([{ type: 'authenticate', walletAddress, lastIndex: 41 }])
    await receive(createAlertMessage(43))
    await receive(createLiveMessage(44))
    expect(stream.cursor).toEqual({ lastIndex: 44, logId })
    dropConnection()
    vi.advanceTimersByTime(500)
    await open()
    expect(last().sent).toEqual([{ type: 'authenticate', walletAddress, lastIndex: 44, logId }])
  })

  it('is in state delayed while the server reports a delay', async () => {
    const { receive, dropConnection, events } = setUp()
    await receive({ type: 'delayed', since: '2026-11-22T12:00:00.000Z' })
    await receive(createLiveMessage())
    await receive({ type: 'delayed', since: '2026-11-22T12:00:00.000Z' })
    await receive(createAlertMessage(7))
    await receive({ type: 'delayed', since: null })
    await receive({ type: 'delayed', since: '2026-11-22T12:01:00.000Z' })
    dropConnection(1012)
    expect(events).toEqual(['live', 'live 0 true true', 'delayed', 'fresh 7', 'live', 'delayed', 'reconnecting'])
  })

  it('reports an alert as new only once, and as an update when it is received again', async () => {
    const { receive, dropConnection, events } = setUp({ isKnown: (id) => id === 'alert-0' })
    for (const message of [
      createAlertMessage(0),
      createAlertMessage(1),
      createLiveMessage(),
      createAlertMessage(1),
      createAlertMessage(2),
      createAlertMessage(2),
    ])
      await receive(message)
    dropConnection()
    vi.advanceTimersByTime(500)
    for (const message of [createAlertMessage(2), createAlertMessage(3), createLiveMessage(3, false)])
      await receive(message)
    expect(events).toEqual([
      ...['update 0', 'missed 1', 'live', 'live 1 true true', 'update 1', 'fresh 2', 'update 2'],
      ...['reconnecting', 'update 2', 'missed 3', 'live', 'live 1 false false'],
    ])
  })

  it('does not move the cursor when an update arrives before its alert', async () => {
    const { receive, events, stream } = setUp()
    for (const message of [createLiveMessage(4), createUpdateMessage(5)]) await receive(message)
    expect(stream.cursor.lastIndex).toBe(4)
    await receive(createAlertMessage(5))
    expect(events).toEqual(['live', 'live 0 true true', 'update 5', 'fresh 5'])
  })

  it('signs the challenge when authenticating by a wallet signature', async () => {
    const address = '0x52908400098527886E0F7030069857D2E4169EE7'
    const signMessage = async ({ message }: { message: string }) => `signed ${message.split('\n')[8]}`
    const { open, last, receive } = setUp({
      authenticate: byWalletSignature({ address, signMessage }),
      from: { lastIndex: 2 },
    })
    await open()
    expect(last().sent).toEqual([])
    await receive(challenge)
    expect(last().sent).toMatchObject([
      { type: 'auth', walletAddress: address, lastIndex: 2, signature: 'signed Nonce: abcdefgh12345678' },
    ])
  })

  it('reports the error and retries when signing fails', async () => {
    const signMessage = async () => Promise.reject(new Error('locked'))
    const { receive, events, sockets } = setUp({
      authenticate: byWalletSignature({ address: walletAddress, signMessage }),
    })
    await receive(challenge)
    vi.advanceTimersByTime(500)
    expect(events).toEqual(['reconnecting', 'Error: locked'])
    expect(sockets).toHaveLength(2)
  })

  it.each([
    [1012, 'Restarting; retry-after-ms=137', 137],
    [1012, 'Restarting; retry-after-ms=0', 0],
    [1012, 'Restarting', 500],
    [1012, 'Restarting; retry-after-ms=86400000', 500],
    [1006, 'Restarting; retry-after-ms=137', 500],
  ])('after close code %d with the reason “%s”, reconnects in %i ms', (code, reason, waitMs) => {
    const { sockets, dropConnection } = setUp()
    dropConnection(code, reason)
    if (waitMs > 0) vi.advanceTimersByTime(waitMs - 1)
    expect(sockets).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(sockets).toHaveLength(2)
  })

  it('waits for the backoff instead of the retry-after-ms hint when the previous attempt failed', () => {
    const { sockets, dropConnection } = setUp()
    dropConnection(1006)
    vi.advanceTimersByTime(500)
    dropConnection(1012, 'Restarting; retry-after-ms=0')
    vi.advanceTimersByTime(999)
    expect(sockets).toHaveLength(2)
    vi.advanceTimersByTime(1)
    expect(sockets).toHaveLength(3)
  })

  it('reconnects with exponential backoff, which resets once the stream is live', async () => {
    const { dropConnection, sockets, receive } = setUp()
    for (const [waitMs, count] of [
      [500, 2],
      [1000, 3],
      [2000, 4],
    ] as const) {
      dropConnection()
      vi.advanceTimersByTime(waitMs - 1)
      expect(sockets).toHaveLength(count - 1)
      vi.advanceTimersByTime(1)
      expect(sockets).toHaveLength(count)
    }
    await receive(createLiveMessage())
    dropConnection()
    vi.advanceTimersByTime(500)
    expect(sockets).toHaveLength(5)
  })

  it('retries with growing timeouts when the server does not respond while the stream opens', async () => {
    const { sockets } = setUp()
    // Each timeout of an attempt is followed by the shortest backoff.
    for (const waitMs of [5_000, 5_000, 5_000, 10_000, 18_000, 18_000]) {
      const count = sockets.length
      await vi.advanceTimersByTimeAsync(waitMs + 500 - 1)
      expect(sockets).toHaveLength(count)
      await vi.advanceTimersByTimeAsync(1)
      expect(sockets).toHaveLength(count + 1)
    }
  })

  it('reconnects after 18 s without any message', async () => {
    const { receive, last, sockets, stream } = setUp()
    const first = last()
    await receive(createLiveMessage())
    await vi.advanceTimersByTimeAsync(17_000)
    await receive({ type: 'heartbeat', at: '2026-11-21T14:32:07.000Z' })
    expect(stream.lastMessageAt).toBe(Date.now())
    await vi.advanceTimersByTimeAsync(17_999)
    expect(first.closed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(first.closed).toBe(true)
    await vi.advanceTimersByTimeAsync(500)
    expect(sockets).toHaveLength(2)
  })

  it('keeps a passive socket while it gets heartbeats, and then reconnects with the shortest backoff', async () => {
    const { open, receive, dropConnection, sockets } = setUp({ authenticate: () => null, isPassive: true })
    const heartbeat = { type: 'heartbeat', at: '2026-11-21T14:32:07.000Z' }
    dropConnection()
    await vi.advanceTimersByTimeAsync(500)
    await open()
    for (let count = 0; count < 6; count++) {
      await vi.advanceTimersByTimeAsync(10_000)
      await receive(heartbeat)
    }
    expect(sockets).toHaveLength(2)
    dropConnection()
    await vi.advanceTimersByTimeAsync(500)
    expect(sockets).toHaveLength(3)
  })

  it('reconnects with growing backoff when a passive socket closes before a heartbeat', async () => {
    const { open, dropConnection, sockets } = setUp({ authenticate: () => null, isPassive: true })
    await open()
    dropConnection()
    await vi.advanceTimersByTimeAsync(500)
    await open()
    dropConnection()
    await vi.advanceTimersByTimeAsync(999)
    expect(sockets).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(sockets).toHaveLength(3)
  })

  it('reconnects immediately on probe() unless a socket is open', () => {
    const { stream, dropConnection, sockets } = setUp()
    stream.probe()
    expect(sockets).toHaveLength(1)
    dropConnection()
    stream.probe()
    expect(sockets).toHaveLength(2)
    vi.advanceTimersByTime(5_000)
    expect(sockets).toHaveLength(2)
  })

  it('stops permanently when it is closed', () => {
    const { stream, last, sockets, events } = setUp()
    stream.close()
    vi.advanceTimersByTime(600_000)
    expect(last().closed).toBe(true)
    expect(sockets).toHaveLength(1)
    expect(events).toEqual(['offline'])
    expect(stream.state).toBe('offline')
  })

  it('opens no further socket when it is closed in onState', () => {
    const { stream, dropConnection, sockets } = setUp({
      onState: (state) => {
        if (state === 'reconnecting') stream.close()
      },
    })
    dropConnection()
    vi.advanceTimersByTime(600_000)
    expect(sockets).toHaveLength(1)
    expect(stream.state).toBe('offline')
  })

  it('opens one further socket when probe() is called in onState', () => {
    const { stream, dropConnection, sockets } = setUp({
      onState: (state) => {
        if (state === 'reconnecting' && sockets.length === 1) stream.probe()
      },
    })
    dropConnection()
    vi.advanceTimersByTime(4_999)
    expect(sockets).toHaveLength(2)
  })

  it.each([['live', createLiveMessage()] as const, ['new_alert', createAlertMessage(7)] as const])(
    'only goes offline when it is closed in onMessage for a message of type %s',
    async (type, message) => {
      const { stream, receive, sockets, events } = setUp({
        onMessage: (receivedMessage) => {
          if (receivedMessage.type === type) stream.close()
        },
      })
      await receive(message)
      vi.advanceTimersByTime(600_000)
      expect(events).toEqual(['offline'])
      expect(stream.state).toBe('offline')
      expect(sockets).toHaveLength(1)
    },
  )
})
