import { availableParallelism } from 'node:os'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { type DecodedEntry, type LogEntry, type ProofDomain, readEntry } from '@tocsin/proof'
import { CannotCheck, UsageProblem } from './outcome.ts'
import { findFastPrimitives } from './primitives.ts'
import { createRecordEvaluator, type EvaluatorOptions, type RecordEvaluator } from './record-evaluator.ts'

/** Threads for the parts of a check that take most of its time. */
export interface CheckPool {
  /** Returns the result of readEntry for each entry. */
  read(entries: readonly LogEntry[]): Promise<(DecodedEntry | null)[]>
  /** One per thread. A market always uses the same evaluator, which caches its candles. */
  evaluators: readonly RecordEvaluator[]
  close(): Promise<void>
}

type Call =
  | { kind: 'read'; entries: readonly LogEntry[] }
  | { kind: 'evaluate'; arguments: Parameters<RecordEvaluator['evaluate']> }
  | { kind: 'measure'; arguments: Parameters<RecordEvaluator['measure']> }
type Reply = { id: number; value: unknown } | { id: number; problem: { isUsage: boolean; message: string } }

const PURPOSE = 'check'
/** True in a thread of the pool, which loads this program but must not run the command. */
export const isPoolThread = workerData?.purpose === PURPOSE

interface ThreadOptions {
  domain: ProofDomain
  /** Null if no record is checked. */
  evaluator: EvaluatorOptions | null
}

/**
 * Starts one thread for each core. Callers must close the pool. Returns null when the program runs
 * from its TypeScript sources without tsx, as in tests.
 */
export function createCheckPool(options: ThreadOptions): CheckPool | null {
  const entry = findThreadEntry()
  if (!entry) return null
  const threads = Array.from({ length: availableParallelism() }, () => startThread(entry, options))
  return {
    async read(entries) {
      const length = Math.ceil(entries.length / threads.length)
      const entryParts = await Promise.all(
        threads.map((call, index) =>
          call<(DecodedEntry | null)[]>({ kind: 'read', entries: entries.slice(index * length, (index + 1) * length) }),
        ),
      )
      return entryParts.flat()
    },
    evaluators: threads.map((call) => ({
      evaluate: (...list) => call({ kind: 'evaluate', arguments: list }),
      measure: (...list) => call({ kind: 'measure', arguments: list }),
    })),
    async close() {
      await Promise.all(threads.map((call) => call.end()))
    },
  }
}

/**
 * Returns the program that threads run. Threads of Node 20 do not load TypeScript by themselves.
 */
function findThreadEntry(): URL | null {
  if (!import.meta.url.endsWith('.ts')) return new URL(import.meta.url)
  if (!process.execArgv.some((argument) => argument.includes('tsx'))) return null
  const [api, program] = [import.meta.resolve('tsx/esm/api'), import.meta.url].map((url) => JSON.stringify(url))
  const script = `import { register } from ${api}; register(); await import(${program})`
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`)
}

function startThread(entry: URL, options: ThreadOptions) {
  const waitingCalls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const thread = new Worker(entry, { execArgv: [], workerData: { purpose: PURPOSE, options } })
  let failure: Error | null = null
  let isEnding = false
  thread.on('message', (reply: Reply) => {
    const call = waitingCalls.get(reply.id)
    waitingCalls.delete(reply.id)
    if ('value' in reply) call?.resolve(reply.value)
    else {
      const { isUsage, message } = reply.problem
      call?.reject(isUsage ? new UsageProblem(message) : new CannotCheck(message))
    }
  })
  /** Rejects all calls, including later ones, because the thread will not answer them. */
  const failAllCalls = (error: Error) => {
    failure ??= error
    for (const { reject } of waitingCalls.values()) reject(failure)
    waitingCalls.clear()
  }
  thread.on('error', failAllCalls)
  thread.on('exit', (code) => {
    if (!isEnding) failAllCalls(new Error(`A thread of the check has ended with code ${code}`))
  })
  let callCount = 0
  const call = <Value>(message: Call): Promise<Value> =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure)
      const id = callCount++
      // The cast is safe: the thread answers each kind of call with the type of that kind.
      waitingCalls.set(id, { resolve: (value) => resolve(value as Value), reject })
      thread.postMessage({ id, call: message })
    })
  const end = () => {
    isEnding = true
    return thread.terminate()
  }
  return Object.assign(call, { end })
}

if (isPoolThread) {
  const { domain, evaluator: evaluatorOptions }: ThreadOptions = workerData.options
  const primitives = await findFastPrimitives()
  let evaluator: RecordEvaluator | null = null
  const runCall = async (call: Call): Promise<unknown> => {
    if (call.kind === 'read') return call.entries.map((entry) => readEntry(entry, domain, primitives))
    if (!evaluatorOptions) throw new Error('The pool was started without an evaluator')
    evaluator ??= createRecordEvaluator(evaluatorOptions)
    return call.kind === 'evaluate' ? evaluator.evaluate(...call.arguments) : evaluator.measure(...call.arguments)
  }
  // Calls run one after the other, so that each finds the candles that earlier calls have cached.
  let lastReply: Promise<unknown> = Promise.resolve()
  parentPort?.on('message', ({ id, call }: { id: number; call: Call }) => {
    lastReply = lastReply.then(async () => {
      const reply = await runCall(call).then(
        (value): Reply => ({ id, value }),
        (error: unknown): Reply => {
          // Other errors are faults of the program and end it.
          if (!(error instanceof CannotCheck || error instanceof UsageProblem)) throw error
          return { id, problem: { isUsage: error instanceof UsageProblem, message: error.message } }
        },
      )
      parentPort?.postMessage(reply)
    })
  })
}
