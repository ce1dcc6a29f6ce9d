import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { PushSubscription, RequestOptions } from 'web-push'

/** A request by RFC 8030 with a body by RFC 8291. Header names are in lower case. */
export interface EncryptedRequest {
  headers: Record<string, string>
  body: Uint8Array
}

interface Answer {
  id: number
  request?: EncryptedRequest
  error?: string
}

/** Plain JavaScript in a string, because the server is also run as one bundled file. */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads')
const { generateRequestDetails } = require(workerData.library)
parentPort.on('message', ({ id, subscription, payload, options }) => {
  try {
    const { headers, body } = generateRequestDetails(subscription, payload, { ...options, vapidDetails: null })
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
    parentPort.postMessage({ id, request: { headers: Object.fromEntries(named), body } })
  } catch (error) {
    parentPort.postMessage({ id, error: error.message })
  }
})
`

type Options = Pick<RequestOptions, 'TTL' | 'urgency' | 'topic'> & { headers: { Authorization: string } }

let thread: Worker | null = null
let lastId = 0
const waiting = new Map<number, { resolve(request: EncryptedRequest): void; reject(error: Error): void }>()

/**
 * Encrypts a message in a thread of its own: each takes about 1.5 ms, for which the live stream
 * would wait.
 * @throws Error if a key of the subscription is not valid
 */
export function encrypt(subscription: PushSubscription, payload: string, options: Options): Promise<EncryptedRequest> {
  const worker = openThread()
  lastId += 1
  const id = lastId
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    worker.ref()
    worker.postMessage({ id, subscription, payload, options })
  })
}

function openThread(): Worker {
  if (thread) return thread
  const library = createRequire(import.meta.url).resolve('web-push')
  const worker = new Worker(WORKER, { eval: true, execArgv: [], workerData: { library } })
  const fail = (error: Error) => {
    if (thread === worker) thread = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  worker.on('message', ({ id, request, error }: Answer) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) worker.unref()
    if (request) asked?.resolve(request)
    else asked?.reject(new Error(error))
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The encryption thread has ended')))
  thread = worker
  return worker
}
