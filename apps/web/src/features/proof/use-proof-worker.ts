import { useEffect, useRef } from 'react'
import type { ProofTask, TaskResults, WorkerReply, WorkerRequest } from './proof-task.ts'
import workerUrl from './proof-worker.ts?worker&url'
import { trustWorkerUrl } from './trust-worker-url.ts'

type Answer<Task extends ProofTask> = TaskResults[Task['kind']]
type PendingTask = {
  onProgress: (answer: never) => void
  resolve: (answer: never) => void
  reject: (error: Error) => void
}

const notLoaded = 'The part of this page that does the check could not be loaded. Reload the page.'

/**
 * Runs checks in a worker. The worker is started with the page, so that later checks fetch nothing
 * from this site.
 */
export function useProofWorker() {
  const worker = useRef<ProofWorker | null>(null)
  useEffect(() => {
    const opened = new ProofWorker()
    worker.current = opened
    return () => opened.close()
  }, [])
  return useRef(
    <Task extends ProofTask>(task: Task, onProgress?: (answer: Answer<Task>) => void): Promise<Answer<Task>> =>
      worker.current ? worker.current.run(task, onProgress) : Promise.reject(new Error(notLoaded)),
  ).current
}

/** Client of the proof worker. Call `close` to terminate it. */
export class ProofWorker {
  readonly #worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' })
  readonly #pending = new Map<number, PendingTask>()
  #lastId = 0
  #hasFailed = false

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => this.#handleReply(data))
    this.#worker.addEventListener('error', () => {
      this.#hasFailed = true
      this.#rejectAll(notLoaded)
    })
  }

  run<Task extends ProofTask>(task: Task, onProgress: (answer: Answer<Task>) => void = () => {}) {
    if (this.#hasFailed) return Promise.reject<Answer<Task>>(new Error(notLoaded))
    return new Promise<Answer<Task>>((resolve, reject) => {
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
    else if (reply.kind === 'progress') pending.onProgress(reply.answer as never)
    else pending.resolve(reply.answer as never)
  }

  #rejectAll(reason: string): void {
    for (const { reject } of this.#pending.values()) reject(new Error(reason))
    this.#pending.clear()
  }
}
