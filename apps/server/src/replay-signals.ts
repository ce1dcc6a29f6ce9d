import { signal } from '@tocsin/protocol'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { Clock } from './clock.ts'
import { parseJson } from './parse-json.ts'
import { type Scheduler, systemScheduler } from './scheduler.ts'
import { type SignalServer, startSignalServer } from './signal-server.ts'

export interface Replay extends SignalServer {
  count: number
  /** Resolves when the last signal has been sent. */
  finished: Promise<void>
}

export interface ReplayOptions {
  port?: number
  apiKey?: string | null
  /** Speed factor: 10 replays ten times as fast as recorded. */
  speed?: number
  /**
   * True to send the lines unchanged, with their ids and times. Otherwise the signals get new ids
   * in each run, and the time of sending as `observedAt`.
   */
  exact?: boolean
  clock: Clock
  schedule?: Scheduler
}

interface RecordedLine {
  text: string
  atMs: number
}

const PING_MS = 30_000

/** The fields that a recorded signal must have. The receiver validates the others. */
const recordedLineSchema = z.looseObject({ id: z.string(), observedAt: signal.shape.observedAt })

/**
 * Serves recorded signals over the signal protocol with their recorded pauses. The replay starts
 * when the first client connects and stops while no client is connected.
 * @param recordingText one signal as JSON per line
 * @throws Error naming the first invalid line
 */
export async function serveRecordedSignals(recordingText: string, options: ReplayOptions): Promise<Replay> {
  const { speed = 1, exact = false, clock, schedule = systemScheduler } = options
  const lines = parseRecording(recordingText)
  const runId = clock.now().getTime().toString(36)
  const listeners = new Set<WebSocket>()
  let nextIndex = 0
  let stopWaiting: (() => void) | null = null
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const computePauseBefore = (at: number) => (at === 0 ? 0 : Math.max(0, computeGapMs(lines, at)) / speed)
  const sendNext = () => {
    stopWaiting = null
    const line = lines[nextIndex]
    if (!line || listeners.size === 0) return
    nextIndex += 1
    const text = exact ? line.text : renewLine(line.text, runId, clock.now())
    for (const socket of listeners) socket.send(text)
    if (nextIndex < lines.length) stopWaiting = schedule.after(computePauseBefore(nextIndex), sendNext)
    else finish()
  }
  if (lines.length === 0) finish()
  const server = await startSignalServer({
    apiKey: options.apiKey ?? null,
    port: options.port ?? 0,
    onConnection(socket) {
      listeners.add(socket)
      const stopPinging = schedule.every(PING_MS, () => socket.ping())
      socket.on('close', () => {
        stopPinging()
        listeners.delete(socket)
      })
      stopWaiting ??= schedule.after(computePauseBefore(nextIndex), sendNext)
    },
  })
  return {
    url: server.url,
    count: lines.length,
    finished,
    async close() {
      stopWaiting?.()
      await Promise.all([...listeners].map(closeGracefully))
      await server.close()
    },
  }
}

/**
 * Closes the connection after the client has received all signals. If the client does not respond,
 * `ws` ends the connection after 30 s.
 */
function closeGracefully(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve())
    socket.close(1000)
  })
}

function computeGapMs(lines: readonly RecordedLine[], index: number): number {
  return (lines[index]?.atMs ?? 0) - (lines[index - 1]?.atMs ?? 0)
}

function parseRecording(recordingText: string): RecordedLine[] {
  return recordingText
    .split('\n')
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter(({ text }) => text !== '')
    .map(({ text, number }) => {
      const parsedLine = recordedLineSchema.safeParse(parseJson(text))
      if (!parsedLine.success) throw new Error(`Line ${number} is not a recorded signal: it needs an id and observedAt`)
      return { text, atMs: Date.parse(parsedLine.data.observedAt) }
    })
}

function renewLine(text: string, runId: string, now: Date): string {
  const recordedSignal = recordedLineSchema.parse(JSON.parse(text))
  return JSON.stringify({ ...recordedSignal, id: `${recordedSignal.id}-${runId}`, observedAt: now.toISOString() })
}
