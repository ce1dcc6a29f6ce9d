import { maxSignals } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { yieldToBrowser } from '../../browser/yield-to-browser.ts'

type SignalResponse = { message: string | null }
type WaitingRead = { id: string; resolve: (response: SignalResponse) => void; reject: (error: unknown) => void }

/**
 * Time in ms for which reads are collected before they are sent as one request, because the rows of
 * a list do not mount at the same moment.
 */
const collectDelayMs = 20
const rowsPerTask = 6

let waitingReads: WaitingRead[] = []

/** Reads the feed message of an alert. Reads within a short time share one request. */
export function readSignalMessage(id: string): Promise<SignalResponse> {
  return new Promise((resolve, reject) => {
    if (waitingReads.length === 0) setTimeout(() => sendWaitingReads(), collectDelayMs)
    waitingReads.push({ id, resolve, reject })
  })
}

function sendWaitingReads(): void {
  const reads = waitingReads
  waitingReads = []
  for (let index = 0; index < reads.length; index += maxSignals) void sendBatch(reads.slice(index, index + maxSignals))
}

async function sendBatch(batch: readonly WaitingRead[]): Promise<void> {
  try {
    const ids = batch.map(({ id }) => id).join()
    const { messages } = await call('alertSignals', { query: { ids } })
    const byId = new Map(messages.map(({ id, message }) => [id, { message }]))
    for (const [index, { id, resolve, reject }] of batch.entries()) {
      // Each row hashes and parses its message as soon as its promise resolves. Yield, so that a
      // batch is not one long task.
      if (index % rowsPerTask === 0) await yieldToBrowser()
      const response = byId.get(id)
      if (response) resolve(response)
      // The response omits long messages, and alerts that this account is no longer allowed to
      // read. Request these individually.
      else call('alertSignal', { params: { id } }).then(resolve, reject)
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
