import { Worker } from 'node:worker_threads'
import type { Context } from '../../context.ts'
import { UnreadableSecretError } from '../../sealed-secret.ts'
import {
  type HttpMessage,
  type IsEntitled,
  type SendLimits,
  StartedTooLate,
  sendHttpMessage,
  sharedNowMs,
} from './http-message.ts'
import { type FromThread, PURPOSE, type ToThread } from './http-thread.ts'
import type { Answer } from './kinds/kind.ts'

interface WaitingRequest {
  isEntitled: IsEntitled
  resolve(answer: Answer): void
  reject(error: Error): void
}

export const pickHttpConfig = ({ config }: Pick<Context, 'config'>): HttpMessage['config'] => ({
  appSecret: config.appSecret,
  appSecretPrevious: config.appSecretPrevious,
  allowPrivate: config.channels.allowPrivate,
})

/**
 * Size of the thread's young generation. Requests are long-lived, and the garbage collector would
 * copy them repeatedly in a small one.
 */
const YOUNG_GENERATION_MB = 192

/**
 * The thread starts no request before this time, as measured by `sharedNowMs`. Both threads share
 * the memory.
 */
const pausedUntilMs = new Float64Array(new SharedArrayBuffer(8))

/**
 * Pauses the thread. Uses shared memory, because the thread would read a message only after it has
 * started all its requests.
 */
export function pauseSending(ms: number): void {
  pausedUntilMs[0] = sharedNowMs() + ms
}

let thread: ReturnType<typeof startThread> | null = null
const threadUrl = findThreadEntry()

/**
 * Sends a message in a separate thread, because encryption, signatures and requests would delay the
 * live stream.
 * @throws UnreadableSecretError, StartedTooLate
 */
export async function sendHttp(message: HttpMessage, limits: SendLimits): Promise<Answer> {
  if (threadUrl === null) return sendHttpMessage(message, limits)
  return openThread(threadUrl)(message, limits)
}

/** Starts the thread, so that the first alert does not wait for it. */
export function prepareSending(): void {
  if (threadUrl !== null) openThread(threadUrl)
}

function openThread(at: URL) {
  thread ??= startThread(at, () => {
    thread = null
  })
  return thread
}

/**
 * URL of the thread's program. Worker threads of Node 20 do not load TypeScript by themselves, so
 * if the server runs with tsx, the program registers tsx first. Null in tests of single modules,
 * which run without tsx: messages are then sent in the calling thread.
 */
function findThreadEntry(): URL | null {
  if (!import.meta.url.endsWith('.ts')) return new URL('./http-thread.js', import.meta.url)
  if (!process.execArgv.some((argument) => argument.includes('tsx'))) return null
  const program = new URL('./http-thread.ts', import.meta.url).href
  const [api, text] = [import.meta.resolve('tsx/esm/api'), program].map((url) => JSON.stringify(url))
  const script = `import { register } from ${api}; register(); await import(${text})`
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`)
}

/** Recreates an error of the thread. Errors lose their class when they are sent between threads. */
function restoreError(problem: FromThread[number]['problem']): Error {
  if (problem?.name === 'UnreadableSecretError') return new UnreadableSecretError()
  if (problem?.name === 'StartedTooLate') return new StartedTooLate()
  return new Error(problem?.text)
}

function startThread(at: URL, onEnd: () => void) {
  const worker = new Worker(at, {
    execArgv: [],
    workerData: { purpose: PURPOSE, pausedUntilMs },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  })
  // The thread must not keep the process running while no message is being sent.
  worker.unref()
  const waitingRequests = new Map<number, WaitingRequest>()
  let lastId = 0
  const createEmptyMessage = (): ToThread => ({ send: [], stop: [], entitled: [] })
  let nextMessage = createEmptyMessage()
  let isScheduled = false
  /** Sends the messages of one turn of the event loop to the thread together. */
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      worker.postMessage(nextMessage)
      nextMessage = createEmptyMessage()
    })
  }
  let hasFailed = false
  const fail = (error: Error) => {
    if (hasFailed) return
    hasFailed = true
    onEnd()
    for (const { reject } of waitingRequests.values()) reject(error)
    waitingRequests.clear()
  }
  const sendEntitlement = async (id: number, isEntitled: IsEntitled) => {
    const entitlement = { id, isEntitled: await isEntitled() }
    // Read `nextMessage` only now, because it may have been replaced during the await above.
    nextMessage.entitled.push(entitlement)
    schedule()
  }
  worker.on('message', (messages: FromThread) => {
    for (const { id, answer, problem, asksEntitlement } of messages) {
      const waitingRequest = waitingRequests.get(id)
      if (asksEntitlement) {
        if (waitingRequest) void sendEntitlement(id, waitingRequest.isEntitled)
        continue
      }
      waitingRequests.delete(id)
      if (answer) waitingRequest?.resolve(answer)
      else waitingRequest?.reject(restoreError(problem))
    }
    if (waitingRequests.size === 0) worker.unref()
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread that sends messages has ended')))
  return (message: HttpMessage, { signal, isEntitled, ...times }: SendLimits): Promise<Answer> => {
    lastId += 1
    const id = lastId
    const stop = () => {
      nextMessage.stop.push(id)
      schedule()
    }
    worker.ref()
    nextMessage.send.push({ id, message, times })
    schedule()
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
    return new Promise<Answer>((resolve, reject) => {
      waitingRequests.set(id, { isEntitled, resolve, reject })
    }).finally(() => signal.removeEventListener('abort', stop))
  }
}
