import type { ProofTask, TaskResults, WorkerReply, WorkerRequest } from './proof-task.ts'
import proofWorkerUrl from './proof-worker.ts?worker&url'
import { createTrustedWorkerUrl } from './trust-worker-url.ts'

export type TaskResult<Task extends ProofTask> = TaskResults[Task['kind']]
type PendingTask = {
  onProgress: (result: never) => void
  resolve: (result: never) => void
  reject: (error: Error) => void
}

export const notLoadedMessage = 'The part of this page that does the check could not be loaded. Reload the page.'
const interruptedMessage = 'The check was interrupted.'

/**
 * Client of a worker that checks proofs. Call `close` to terminate it; later tasks fail. If the
 * script of the worker could not be loaded, the next task starts a new worker.
 */
export class ProofClient {
  readonly #url: string
  #worker: Worker | null
  #isClosed = false
  readonly #pending = new Map<number, PendingTask>()
  #lastId = 0

  constructor(url = proofWorkerUrl) {
    this.#url = url
    this.#worker = this.#start()
  }

  run<Task extends ProofTask>(task: Task, onProgress: (result: TaskResult<Task>) => void = () => {}) {
    if (this.#isClosed) return Promise.reject<TaskResult<Task>>(new Error(interruptedMessage))
    this.#worker ??= this.#start()
    const worker = this.#worker
    return new Promise<TaskResult<Task>>((resolve, reject) => {
      const id = ++this.#lastId
      this.#pending.set(id, { onProgress, resolve, reject })
      worker.postMessage({ id, task } satisfies WorkerRequest)
    })
  }

  close(): void {
    this.#isClosed = true
    this.#worker?.terminate()
    this.#rejectAll(interruptedMessage)
  }

  #start(): Worker {
    const worker = new Worker(createTrustedWorkerUrl(this.#url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => this.#handleReply(data))
    worker.addEventListener('error', () => {
      worker.terminate()
      this.#worker = null
      this.#rejectAll(notLoadedMessage)
    })
    return worker
  }

  #handleReply(reply: WorkerReply): void {
    const pendingTask = this.#pending.get(reply.id)
    if (!pendingTask) return
    if (reply.kind !== 'progress') this.#pending.delete(reply.id)
    if (reply.kind === 'failed') pendingTask.reject(new Error(reply.reason))
    // Safe cast: the result has the type that belongs to the task's kind.
    else if (reply.kind === 'progress') pendingTask.onProgress(reply.result as never)
    else pendingTask.resolve(reply.result as never)
  }

  #rejectAll(reason: string): void {
    for (const { reject } of this.#pending.values()) reject(new Error(reason))
    this.#pending.clear()
  }
}
