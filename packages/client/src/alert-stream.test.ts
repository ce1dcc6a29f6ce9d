import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AlertStream, openAlertStream, parseMessage, type StreamOptions } from './alert-stream.ts'
import { byProgram, bySession } from './authenticate.ts'
import { sampleAlert } from './sample-alert-test-bed.ts'
import type { Socket } from './socket.ts'

const walletAddress = `0x${'ab'.repeat(20)}`
const logId = `0x${'11'.repeat(32)}`
const challenge = {
  type: 'challenge',
  domain: 'localhost:3000',
  uri: 'http://localhost:3000',
  chainId: 1,
  statement: 'Listen.',
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

const opened: AlertStream[] = []

function setUp(options: Partial<StreamOptions> = {}) {
  const sockets: FakeSocket[] = []
  const told: string[] = []
  const stream = openAlertStream({
    url: 'ws://localhost/ws',
    authenticate: bySession(walletAddress),
    onState: (state) => told.push(state),
    onAlert: ({ logIndex }, missed) => told.push(`${missed ? 'missed' : 'fresh'} ${logIndex}`),
    onUpdate: ({ logIndex }) => told.push(`update ${logIndex}`),
    onLive: ({ missed, recovered, isFirst }) => told.push(`live ${missed} ${recovered} ${isFirst}`),
    onRefused: (message) => told.push(`refused: ${message}`),
    onEnded: () => told.push('ended'),
    onError: (error) => told.push(String(error)),
    random: () => 1,
    WebSocket: class extends FakeSocket {
      constructor() {
        super()
        sockets.push(this)
      }
    },
    ...options,
  })
  opened.push(stream)
  const last = () => {
    const socket = sockets.at(-1)
    if (!socket) throw new Error('no socket was opened')
    return socket
  }
  return {
    stream,
    sockets,
    told,
    last,
    async open() {
      // The event is of no interest, so its type takes none.
      last().onopen?.(undefined as never)
      await vi.advanceTimersByTimeAsync(0)
    },
    async say(message: object) {
      // Each platform's events have a type of their own.
      last().onmessage?.({ data: JSON.stringify(message) } as never)
      await vi.advanceTimersByTimeAsync(0)
    },
    hangUp: (code = 1006) => last().onclose?.({ code } as never),
  }
}

const live = (lastIndex: number | null = null, recovered = true) => ({ type: 'live', lastIndex, logId, recovered })
const update = (logIndex: number) => ({ ...alert(logIndex), isUpdate: true })
const alert = (logIndex: number) => ({ type: 'new_alert', alert: sampleAlert(logIndex) })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close()
  vi.useRealTimers()
})

describe('a message of the server', () => {
  it.each(['', 'no json', '{}', '{"type":"unheard_of"}', '{"type":"heartbeat"}', new ArrayBuffer(2)])(
    'is passed over: %j',
    (text) => {
      expect(parseMessage(text)).toBeNull()
    },
  )

  it('is read with fields of later versions left alone', () => {
    expect(parseMessage(JSON.stringify({ ...live(7), later: 'field' }))).toEqual(live(7))
  })
})

describe('an alert stream', () => {
  it('stops for good when the server refuses', async () => {
    const { say, sockets, told, stream } = setUp()
    await say({ type: 'authentication_failed', message: 'Prove this wallet first' })
    stream.probe()
    vi.advanceTimersByTime(600_000)
    expect(sockets).toHaveLength(1)
    expect(told).toEqual(['offline', 'refused: Prove this wallet first'])
  })

  it.each([
    [4401, 1, ['offline', 'ended']],
    [4429, 1, ['offline']],
    [4403, 2, ['reconnecting', 'ended']],
  ])('closed with %i opens %i sockets in all', (code, count, expected) => {
    const { hangUp, sockets, told } = setUp()
    hangUp(code)
    vi.advanceTimersByTime(5000)
    expect(sockets).toHaveLength(count)
    expect(told).toEqual(expected)
  })

  it('says where it left off, and of which log', async () => {
    const { open, last, say, hangUp, stream } = setUp({ from: { lastIndex: 41 } })
    await open()
    expect(last().sent).toEqual([{ type: 'authenticate', walletAddress, lastIndex: 41 }])
    await say(alert(43))
    await say(live(44))
    expect(stream.cursor).toEqual({ lastIndex: 44, logId })
    hangUp()
    vi.advanceTimersByTime(500)
    await open()
    expect(last().sent).toEqual([{ type: 'authenticate', walletAddress, lastIndex: 44, logId }])
  })

  it('is delayed while the server says that it cannot see new alerts', async () => {
    const { say, hangUp, told } = setUp()
    await say({ type: 'delayed', since: '2026-11-22T12:00:00.000Z' })
    await say(live())
    await say({ type: 'delayed', since: '2026-11-22T12:00:00.000Z' })
    await say(alert(7))
    await say({ type: 'delayed', since: null })
    await say({ type: 'delayed', since: '2026-11-22T12:01:00.000Z' })
    hangUp(1012)
    expect(told).toEqual(['live', 'live 0 true true', 'delayed', 'fresh 7', 'live', 'delayed', 'reconnecting'])
  })

  it('tells an alert once, and what comes again as an update', async () => {
    const { say, hangUp, told } = setUp({ isKnown: (id) => id === 'alert-0' })
    for (const message of [alert(0), alert(1), live(), alert(1), alert(2), alert(2)]) await say(message)
    hangUp()
    vi.advanceTimersByTime(500)
    for (const message of [alert(2), alert(3), live(3, false)]) await say(message)
    expect(told).toEqual([
      ...['update 0', 'missed 1', 'live', 'live 1 true true', 'update 1', 'fresh 2', 'update 2'],
      ...['reconnecting', 'update 2', 'missed 3', 'live', 'live 1 false false'],
    ])
  })

  it('takes an update that overtakes its alert for what it is', async () => {
    const { say, told, stream } = setUp()
    for (const message of [live(4), update(5)]) await say(message)
    expect(stream.cursor.lastIndex).toBe(4)
    await say(alert(5))
    expect(told).toEqual(['live', 'live 0 true true', 'update 5', 'fresh 5'])
  })

  it('signs each challenge as a program', async () => {
    const address = '0x52908400098527886E0F7030069857D2E4169EE7'
    const signMessage = async ({ message }: { message: string }) => `signed ${message.split('\n')[8]}`
    const { open, last, say } = setUp({ authenticate: byProgram({ address, signMessage }), from: { lastIndex: 2 } })
    await open()
    expect(last().sent).toEqual([])
    await say(challenge)
    expect(last().sent).toMatchObject([
      { type: 'auth', walletAddress: address, lastIndex: 2, signature: 'signed Nonce: abcdefgh12345678' },
    ])
  })

  it('tries again when signing fails, and says why', async () => {
    const signMessage = async () => Promise.reject(new Error('locked'))
    const { say, told, sockets } = setUp({ authenticate: byProgram({ address: walletAddress, signMessage }) })
    await say(challenge)
    vi.advanceTimersByTime(500)
    expect(told).toEqual(['reconnecting', 'Error: locked'])
    expect(sockets).toHaveLength(2)
  })

  it('comes back after a hang-up, and waits longer each time until it was live', async () => {
    const { hangUp, sockets, say } = setUp()
    for (const [waitMs, count] of [
      [500, 2],
      [1000, 3],
      [2000, 4],
    ] as const) {
      hangUp()
      vi.advanceTimersByTime(waitMs - 1)
      expect(sockets).toHaveLength(count - 1)
      vi.advanceTimersByTime(1)
      expect(sockets).toHaveLength(count)
    }
    await say(live())
    hangUp()
    vi.advanceTimersByTime(500)
    expect(sockets).toHaveLength(5)
  })

  it('takes 45 s of silence for a dead connection, and any message for life', async () => {
    const { say, last, sockets, stream } = setUp()
    const first = last()
    await vi.advanceTimersByTimeAsync(44_000)
    await say({ type: 'heartbeat', at: '2026-11-21T14:32:07.000Z' })
    expect(stream.lastMessageAt).toBe(Date.now())
    await vi.advanceTimersByTimeAsync(44_999)
    expect(first.closed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(first.closed).toBe(true)
    await vi.advanceTimersByTimeAsync(500)
    expect(sockets).toHaveLength(2)
  })

  it('probes at once when asked, but opens no second socket beside a good one', () => {
    const { stream, hangUp, sockets } = setUp()
    stream.probe()
    expect(sockets).toHaveLength(1)
    hangUp()
    stream.probe()
    expect(sockets).toHaveLength(2)
    vi.advanceTimersByTime(5_000)
    expect(sockets).toHaveLength(2)
  })

  it('is silent after it was closed', () => {
    const { stream, last, sockets, told } = setUp()
    stream.close()
    vi.advanceTimersByTime(600_000)
    expect(last().closed).toBe(true)
    expect(sockets).toHaveLength(1)
    expect(told).toEqual(['offline'])
    expect(stream.state).toBe('offline')
  })
})
