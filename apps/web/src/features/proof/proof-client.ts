import type { ProofTask, TaskResults, WorkerReply, WorkerRequest } from './proof-task.ts'
import proofWorkerUrl from './proof-worker.ts?worker&url'
import { trustWorkerUrl } from './trust-worker-url.ts'

export type TaskResult<Task extends ProofTask> = TaskResults[Task['kind']]
type PendingTask = {
  onProgress: (result: never) => void
  resolve: (result: never) => void
  reject: (error: Error) => void
}

export const notLoaded = 'The part of this page that does the check could not be loaded. Reload the page.'

/** Client of a worker that checks proofs. Call `close` to terminate it. */
export class ProofClient {
  readonly #worker: Worker
  readonly #pending = new Map<number, PendingTask>()
  #lastId = 0
  #hasFailed = false

  constructor(url = proofWorkerUrl) {
    this.#worker = new Worker(trustWorkerUrl(url), { type: 'module' })
    this.#worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => this.#handleReply(data))
    this.#worker.addEventListener('error', () => {
      this.#hasFailed = true
      this.#rejectAll(notLoaded)
    })
  }

  run<Task extends ProofTask>(task: Task, onProgress: (result: TaskResult<Task>) => void = () => {}) {
    if (this.#hasFailed) return Promise.reject<TaskResult<Task>>(new Error(notLoaded))
    return new Promise<TaskResult<Task>>((resolve, reject) => {
      const id = ++this.#lastId
      this.#pending.set(id, { onProgress, resolve, reject })
      this.#worker.postMessage({ id, task } satisfies WorkerRequest)
    })
  }

  close(): void {
    this.#worker.terminate()
    this.#rejectAll('The check was interrupted.')
  }

  #handleReply(reply: WorkerReply): void {
    const pending = this.#pending.get(reply.id)
    if (!pending) return
    if (reply.kind !== 'progress') this.#pending.delete(reply.id)
    if (reply.kind === 'failed') pending.reject(new Error(reply.reason))
    // Safe cast: the result has the type that belongs to the task's kind.
    else if (reply.kind === 'progress') pending.onProgress(reply.result as never)
    else pending.resolve(reply.result as never)
  }

  #rejectAll(reason: string): void {
    for (const { reject } of this.#pending.values()) reject(new Error(reason))
    this.#pending.clear()
  }
}
