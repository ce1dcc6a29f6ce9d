import { useEffect, useRef } from 'react'
import { language } from '../../texts/language.ts'
import { proofSharedTexts } from '../../texts/proof-shared.ts'
import type { ProofTask, TaskAnswers, WorkerReply, WorkerRequest } from './proof-task.ts'
import workerUrl from './proof-worker.ts?worker&url'
import { trustWorkerUrl } from './trust-worker-url.ts'

const texts = proofSharedTexts.useProofWorker

type Answer<Task extends ProofTask> = TaskAnswers[Task['kind']]
type Waiting = { onProgress: (answer: never) => void; resolve: (answer: never) => void; reject: (error: Error) => void }

const notLoaded = texts.partOfThisPage

/**
 * Runs checks in a worker. It is there from when the page is: by the time that something is checked, nothing has to be fetched from
 * this site any more.
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

/** A worker of the proof checks, until it is closed. */
export class ProofWorker {
  // A worker has no page to see the language on: its name says it.
  readonly #worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module', name: language })
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #hasFailed = false

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => this.#hear(data))
    this.#worker.addEventListener('error', () => {
      this.#hasFailed = true
      this.#rejectAll(notLoaded)
    })
  }

  run<Task extends ProofTask>(task: Task, onProgress: (answer: Answer<Task>) => void = () => {}) {
    if (this.#hasFailed) return Promise.reject<Answer<Task>>(new Error(notLoaded))
    return new Promise<Answer<Task>>((resolve, reject) => {
      const id = ++this.#lastId
      this.#waiting.set(id, { onProgress, resolve, reject })
      this.#worker.postMessage({ id, task } satisfies WorkerRequest)
    })
  }

  close(): void {
    this.#worker.terminate()
    this.#rejectAll(texts.checkWasBrokenOff)
  }

  #hear(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id)
    if (!waiting) return
    if (reply.kind !== 'progress') this.#waiting.delete(reply.id)
    if (reply.kind === 'failed') waiting.reject(new Error(reply.reason))
    // The worker answers a task of a kind with that kind's answer.
    else if (reply.kind === 'progress') waiting.onProgress(reply.answer as never)
    else waiting.resolve(reply.answer as never)
  }

  #rejectAll(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(reason))
    this.#waiting.clear()
  }
}
