import { parentPort, workerData } from 'node:worker_threads'
import { type HttpMessage, type SendLimits, sendHttpMessage, sharedNowMs } from './http-message.ts'
import type { Answer } from './kinds/kind.ts'

/**
 * Messages to send, the ids of messages to stop, and whether the account of a message may still get
 * alerts.
 */
export type ToThread = {
  send: { id: number; message: HttpMessage; times: Pick<SendLimits, 'startByMs' | 'endsAtMs'> }[]
  stop: number[]
  entitled: { id: number; isEntitled: boolean }[]
}
/** Results of the requests, and queries whether the account of a message may still get alerts. */
export type FromThread = {
  id: number
  answer?: Answer
  problem?: { name: string; text: string }
  asksEntitlement?: true
}[]

export const PURPOSE = 'tocsin channels'

/**
 * How long results are collected before they are reported together, so that their deliveries share
 * queries.
 */
const REPORT_MS = 4

/** Requests started in one turn of the event loop. Between turns the thread reads responses. */
const MAX_STARTS_PER_TURN = 8

const neverNotified = new Int32Array(new SharedArrayBuffer(4))

/** Blocks the thread while the live stream writes an alert to its connections. */
function waitForStream(): void {
  const [untilMs = 0]: Float64Array = workerData.pausedUntilMs
  const remainingMs = untilMs - sharedNowMs()
  if (remainingMs > 0) Atomics.wait(neverNotified, 0, 0, remainingMs)
}

/** Runs the thread, which sends messages and reports the results. */
function run(port: NonNullable<typeof parentPort>): void {
  const runningRequests = new Map<number, AbortController>()
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
    runningRequests.delete(message.id)
    entitlementChecks.delete(message.id)
    queueMessage(message)
  }
  const askIfEntitled = (id: number) =>
    new Promise<boolean>((resolve) => {
      entitlementChecks.set(id, resolve)
      queueMessage({ id, asksEntitlement: true })
    })
  const requestsToBegin: (() => void)[] = []
  const beginNextRequests = () => {
    for (const begin of requestsToBegin.splice(0, MAX_STARTS_PER_TURN)) begin()
    if (requestsToBegin.length > 0) setImmediate(beginNextRequests)
  }
  port.on('message', ({ send, stop, entitled }: ToThread) => {
    const isIdle = requestsToBegin.length === 0
    for (const { id, message, times } of send) {
      const controller = new AbortController()
      runningRequests.set(id, controller)
      requestsToBegin.push(() => {
        waitForStream()
        sendHttpMessage(message, { ...times, signal: controller.signal, isEntitled: () => askIfEntitled(id) }).then(
          (answer) => report({ id, answer }),
          ({ name, message: text }: Error) => report({ id, problem: { name, text } }),
        )
      })
    }
    for (const id of stop) runningRequests.get(id)?.abort()
    for (const { id, isEntitled } of entitled) entitlementChecks.get(id)?.(isEntitled)
    if (isIdle) beginNextRequests()
  })
}

if (parentPort && workerData?.purpose === PURPOSE) run(parentPort)
