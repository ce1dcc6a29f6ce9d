import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AlertStream, backoffMs, parseMessage, type Socket, type StreamState } from './stream.ts'

const walletAddress = `0x${'ab'.repeat(20)}`

function setUp(lastIndex: number | null = null) {
  const sockets: (Socket & { sent: string[]; closed: boolean })[] = []
  const states: StreamState[] = []
  const types: string[] = []
  const refusals: string[] = []
  const stream = new AlertStream({
    walletAddress,
    lastIndex: () => lastIndex,
    onMessage: (message) => types.push(message.type),
    onState: (state) => states.push(state),
    onRefused: (message) => refusals.push(message),
    onEnded: () => refusals.push('ended'),
    random: () => 1,
    open: () => {
      const socket: Socket & { sent: string[]; closed: boolean } = {
        sent: [],
        closed: false,
        readyState: 1,
        onopen: null,
        onmessage: null,
        onclose: null,
        send: (text) => socket.sent.push(String(text)),
        close: () => {
          socket.closed = true
        },
      }
      sockets.push(socket)
      return socket
    },
  })
  const last = () => {
    const socket = sockets.at(-1)
    if (!socket) throw new Error('no socket was opened')
    return socket
  }
  const say = (message: object) => last().onmessage?.(new MessageEvent('message', { data: JSON.stringify(message) }))
  const hangUp = (code = 1006) =>
    last().onclose?.(Object.assign(new Event('close'), { code, reason: '', wasClean: false }))
  return { stream, sockets, states, types, refusals, last, say, hangUp }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('parseMessage', () => {
  it.each(['', 'no json', '{}', '{"type":"unheard_of"}', '{"type":"heartbeat"}', new ArrayBuffer(2)])(
    'ignores %j',
    (text) => {
      expect(parseMessage(text)).toBeNull()
    },
  )

  it('reads what it knows, and leaves fields of later versions alone', () => {
    const text = JSON.stringify({ type: 'live', lastIndex: 7, recovered: true, later: 'field' })
    expect(parseMessage(text)).toEqual({ type: 'live', lastIndex: 7, recovered: true })
  })
})

describe('backoffMs', () => {
  it.each([
    [0, 0, 250],
    [0, 1, 500],
    [1, 1, 1000],
    [5, 1, 16_000],
    [6, 1, 30_000],
    [60, 1, 30_000],
    [60, 0, 15_000],
  ])('attempt %i with %d waits %i ms', (attempt, random, expected) => {
    expect(backoffMs(attempt, random)).toBe(expected)
  })
})

describe('AlertStream', () => {
  it('stops for good when the server refuses the wallet', () => {
    const { say, sockets, states, refusals } = setUp()
    say({ type: 'authentication_failed', message: 'Prove this wallet first' })
    vi.advanceTimersByTime(600_000)
    expect(sockets).toHaveLength(1)
    expect(states).toEqual(['offline'])
    expect(refusals).toEqual(['Prove this wallet first'])
  })

  it.each([
    [4401, 1, ['offline'], ['ended']],
    [4429, 1, ['offline'], []],
    [4403, 2, ['reconnecting'], ['ended']],
  ])('closed with %i leaves %i sockets opened', (code, opened, expectedStates, ended) => {
    const { hangUp, sockets, states, refusals } = setUp()
    hangUp(code)
    vi.advanceTimersByTime(5000)
    expect(sockets).toHaveLength(opened)
    expect(states).toEqual(expectedStates)
    expect(refusals).toEqual(ended)
  })

  it('authenticates with what it has seen', () => {
    const { last } = setUp(41)
    last().onopen?.(new Event('open'))
    expect(last().sent).toEqual([JSON.stringify({ type: 'authenticate', walletAddress, lastIndex: 41 })])
  })

  it('comes back after a hang-up, and waits longer each time', () => {
    const { hangUp, sockets, states, say } = setUp()
    hangUp()
    vi.advanceTimersByTime(499)
    expect(sockets).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(sockets).toHaveLength(2)
    hangUp()
    vi.advanceTimersByTime(999)
    expect(sockets).toHaveLength(2)
    vi.advanceTimersByTime(1)
    say({ type: 'authenticated', planType: '6h', subscriptionExpiry: null })
    expect(states).toEqual(['reconnecting', 'reconnecting', 'live'])
  })

  it('takes 45 s of silence for a dead connection, and any message for life', () => {
    const { say, last, sockets } = setUp()
    const first = last()
    vi.advanceTimersByTime(44_000)
    say({ type: 'heartbeat', at: '2026-11-21T14:32:07.000Z' })
    vi.advanceTimersByTime(44_999)
    expect(first.closed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(first.closed).toBe(true)
    vi.advanceTimersByTime(500)
    expect(sockets).toHaveLength(2)
  })

  it('probes at once when asked, but opens no second socket beside a good one', () => {
    const { stream, hangUp, sockets } = setUp()
    stream.probe()
    expect(sockets).toHaveLength(1)
    hangUp()
    stream.probe()
    expect(sockets).toHaveLength(2)
  })

  it('is silent after it was closed', () => {
    const { stream, last, sockets, states } = setUp()
    stream.close()
    vi.advanceTimersByTime(600_000)
    expect(last().closed).toBe(true)
    expect(sockets).toHaveLength(1)
    expect(states).toEqual(['offline'])
  })
})
