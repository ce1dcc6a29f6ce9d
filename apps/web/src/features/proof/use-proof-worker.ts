import { useEffect, useRef } from 'react'
import { notLoadedMessage, ProofClient, type TaskResult } from './proof-client.ts'
import type { ProofTask } from './proof-task.ts'

/**
 * Runs checks in a worker. The worker is started with the page, so that later checks fetch nothing
 * from this site.
 */
export function useProofWorker(url?: string) {
  const worker = useRef<ProofClient | null>(null)
  useEffect(() => {
    const client = new ProofClient(url)
    worker.current = client
    return () => client.close()
  }, [url])
  return useRef(
    <Task extends ProofTask>(task: Task, onProgress?: (result: TaskResult<Task>) => void): Promise<TaskResult<Task>> =>
      worker.current ? worker.current.run(task, onProgress) : Promise.reject(new Error(notLoadedMessage)),
  ).current
}
