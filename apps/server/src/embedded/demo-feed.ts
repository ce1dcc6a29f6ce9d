import type { WebSocket } from 'ws'
import { type Scheduler, systemScheduler } from '../scheduler.ts'
import { type SignalServer, startSignalServer } from '../signal-server.ts'
import { makeSignal, type Random } from './demo-signal.ts'

export type DemoFeed = SignalServer

const FIRST_AFTER_MS = 8_000
const SHORTEST_PAUSE_MS = 20_000
const LONGEST_PAUSE_MS = 60_000
const PING_MS = 30_000

/** A signal feed like a real one, on a free loopback port: wants the Bearer key, then sends a signal every 20 to 60 seconds. */
export function startDemoFeed({
  apiKey,
  random = Math.random,
  schedule = systemScheduler,
}: {
  apiKey: string
  random?: Random
  schedule?: Scheduler
}): Promise<DemoFeed> {
  return startSignalServer({ apiKey, onConnection: (socket) => sendSignals(socket, random, schedule) })
}

function sendSignals(socket: WebSocket, random: Random, schedule: Scheduler): void {
  let stop = schedule.after(FIRST_AFTER_MS, send)
  const stopPinging = schedule.every(PING_MS, () => socket.ping())
  socket.on('close', () => {
    stop()
    stopPinging()
  })
  function send() {
    socket.send(JSON.stringify(makeSignal(random, new Date())))
    stop = schedule.after(SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS), send)
  }
}
