import type { Primitives } from '@tocsin/proof'
import type { WorkerReply, WorkerRequest } from './proof-task.ts'
import { runTask } from './run-task.ts'

/** Runs the tasks that the page sends to this worker. */
export function serveTasks(findPrimitives: () => Promise<Primitives | undefined> = async () => undefined): void {
  addEventListener('message', async ({ data }: MessageEvent<WorkerRequest>) => {
    const { id, task } = data
    const send = (reply: WorkerReply) => postMessage(reply)
    try {
      const primitives = await findPrimitives()
      const result = await runTask(task, (progress) => send({ id, kind: 'progress', result: progress }), { primitives })
      send({ id, kind: 'done', result })
    } catch (error) {
      send({ id, kind: 'failed', reason: error instanceof Error ? error.message : 'The check was interrupted.' })
    }
  })
}
