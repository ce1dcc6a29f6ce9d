import { proofTexts } from '../../texts/proof.tsx'
import type { WorkerReply, WorkerRequest } from './proof-task.ts'
import { runTask } from './run-task.ts'

const texts = proofTexts.proofWorker

// A worker of its own, since its script comes with a policy of its own: it may ask any node of the chain, the page only its own site.
addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  const { id, task } = data
  const send = (reply: WorkerReply) => postMessage(reply)
  runTask(task, (answer) => send({ id, kind: 'progress', answer })).then(
    (answer) => send({ id, kind: 'done', answer }),
    (error: unknown) =>
      send({ id, kind: 'failed', reason: error instanceof Error ? error.message : texts.checkBrokeOff }),
  )
})
