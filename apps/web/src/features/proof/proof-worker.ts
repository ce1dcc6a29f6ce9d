import type { WorkerReply, WorkerRequest } from './proof-task.ts'
import { runTask } from './run-task.ts'

// The checks run in a worker because its script has its own content security policy: it may connect
// to any chain node, the page only to this site.
addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  const { id, task } = data
  const send = (reply: WorkerReply) => postMessage(reply)
  runTask(task, (answer) => send({ id, kind: 'progress', answer })).then(
    (answer) => send({ id, kind: 'done', answer }),
    (error: unknown) =>
      send({ id, kind: 'failed', reason: error instanceof Error ? error.message : 'The check was interrupted.' }),
  )
})
