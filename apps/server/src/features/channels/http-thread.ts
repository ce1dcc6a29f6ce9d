import { parentPort, workerData } from 'node:worker_threads'
import { type HttpMessage, type Limits, sendHttpMessage, sharedNowMs } from './http-message.ts'
import type { Answer } from './kinds/kind.ts'

/**
 * Messages to send, the ids of messages to stop, and whether the account of a message may still get
 * alerts.
 */
export type ToThread = {
  send: { id: number; message: HttpMessage; times: Pick<Limits, 'startByMs' | 'endsAtMs'> }[]
  stop: number[]
  entitled: { id: number; isEntitled: boolean }[]
}
/** Results of the requests, and queries whether the account of a message may still get alerts. */
export type FromThread = { id: number; answer?: Answer; problem?: { name: string; text: string }; asks?: true }[]

export const PURPOSE = 'tocsin channels'

/**
 * How long results are collected before they are reported together, so that their deliveries share
 * queries.
 */
const REPORT_MS = 4

/** Requests started in one turn of the event loop. Between turns the thread reads responses. */
const MAX_STARTS_PER_TURN = 8

const never = new Int32Array(new SharedArrayBuffer(4))

/** Blocks the thread while the live stream writes an alert to its connections. */
function waitForStream(): void {
  const [untilMs = 0]: Float64Array = workerData.pausedUntilMs
  const restMs = untilMs - sharedNowMs()
  if (restMs > 0) Atomics.wait(never, 0, 0, restMs)
}

/** Runs the thread, which sends messages and reports the results. */
function run(port: NonNullable<typeof parentPort>): void {
  const running = new Map<number, AbortController>()
  const entitlementChecks = new Map<number, (isEntitled: boolean) => void>()
  let messages: FromThread = []
  const queueMessage = (message: FromThread[number]) => {
    messages.push(message)
    if (messages.length > 1) return
    setTimeout(() => {
      port.postMessage(messages)
      messages = []
    }, REPORT_MS)
  }
  const report = (message: FromThread[number]) => {
    running.delete(message.id)
    entitlementChecks.delete(message.id)
    queueMessage(message)
  }
  const ask = (id: number) =>
    new Promise<boolean>((resolve) => {
      entitlementChecks.set(id, resolve)
      queueMessage({ id, asks: true })
    })
  const next: (() => void)[] = []
  const beginSome = () => {
    for (const begin of next.splice(0, MAX_STARTS_PER_TURN)) begin()
    if (next.length > 0) setImmediate(beginSome)
  }
  port.on('message', ({ send, stop, entitled }: ToThread) => {
    const isIdle = next.length === 0
    for (const { id, message, times } of send) {
      const controller = new AbortController()
      running.set(id, controller)
      next.push(() => {
        waitForStream()
        sendHttpMessage(message, { ...times, signal: controller.signal, isEntitled: () => ask(id) }).then(
          (answer) => report({ id, answer }),
          ({ name, message: text }: Error) => report({ id, problem: { name, text } }),
        )
      })
    }
    for (const id of stop) running.get(id)?.abort()
    for (const { id, isEntitled } of entitled) entitlementChecks.get(id)?.(isEntitled)
    if (isIdle) beginSome()
  })
}

if (parentPort && workerData?.purpose === PURPOSE) run(parentPort)
