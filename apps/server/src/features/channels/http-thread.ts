import { parentPort, workerData } from 'node:worker_threads'
import { UnreadableKey } from '../../sealed-secret.ts'
import { createSlots } from '../../slots.ts'
import { type HttpMessage, sendHttpMessage } from './http-message.ts'
import type { Answer } from './kinds/kind.ts'
import { SLOW_AFTER_MS } from './places.ts'

/** Messages to send, by number, and numbers of those to stop. */
export type ToThread = { send: { id: number; message: HttpMessage }[]; stop: number[] }
export type FromThread = { id: number; answer?: Answer; problem?: { isUnreadable: boolean; text: string } }[]

export const PURPOSE = 'tocsin channels'

/** Deliveries whose answers are reported together share queries. */
const REPORT_MS = 4

const MOST_REQUESTS = 64
const inSlot = createSlots(MOST_REQUESTS)

/** The monotonic clock of the machine. That of `performance` begins with each thread. */
export const sharedNowMs = () => Number(process.hrtime.bigint()) / 1e6

const never = new Int32Array(new SharedArrayBuffer(4))

/** Stops the thread as long as the live stream writes an alert to its connections. */
function waitForStream(): void {
  const [untilMs = 0]: Float64Array = workerData.pausedUntilMs
  const restMs = untilMs - sharedNowMs()
  if (restMs > 0) Atomics.wait(never, 0, 0, restMs)
}

/** Begins a request when fewer than 64 run, without those that have become slow. */
export async function startInSlot<Value>(send: () => Promise<Value>): Promise<Value> {
  let answer: Promise<Value> | undefined
  await inSlot(async () => {
    answer = send()
    await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, SLOW_AFTER_MS))])
  })
  if (!answer) throw new Error('The request has not begun')
  return answer
}

/** The thread: sends messages and reports their answers. */
function run(port: NonNullable<typeof parentPort>): void {
  const running = new Map<number, AbortController>()
  let answers: FromThread = []
  const report = (answer: FromThread[number]) => {
    running.delete(answer.id)
    answers.push(answer)
    if (answers.length > 1) return
    setTimeout(() => {
      port.postMessage(answers)
      answers = []
    }, REPORT_MS)
  }
  port.on('message', ({ send, stop }: ToThread) => {
    for (const { id, message } of send) {
      const controller = new AbortController()
      running.set(id, controller)
      startInSlot(() => {
        waitForStream()
        return sendHttpMessage(message, controller.signal)
      }).then(
        (answer) => report({ id, answer }),
        (error: Error) =>
          report({ id, problem: { isUnreadable: error instanceof UnreadableKey, text: error.message } }),
      )
    }
    for (const id of stop) running.get(id)?.abort()
  })
}

if (parentPort && workerData?.purpose === PURPOSE) run(parentPort)
