// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest'
import { notLoadedMessage, ProofClient } from './proof-client.ts'
import type { ProofTask } from './proof-task.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** The client passes the task unread to the worker, which the test replaces. */
const task = { kind: 'verifyOffline' } as ProofTask

/** Replaces `Worker`. The test decides whether and when the script of a worker is loaded. */
function fakeWorkers() {
  const workers: FakeWorker[] = []
  class FakeWorker extends EventTarget {
    readonly ids: number[] = []
    isTerminated = false
    constructor() {
      super()
      workers.push(this)
    }
    postMessage({ id }: { id: number }) {
      this.ids.push(id)
    }
    terminate() {
      this.isTerminated = true
    }
    answer(result: string) {
      for (const id of this.ids) this.dispatchEvent(new MessageEvent('message', { data: { id, kind: 'done', result } }))
    }
  }
  vi.stubGlobal('Worker', FakeWorker)
  return workers
}

test('ProofClient: starts a new worker for the next task when the script of the worker could not be loaded', async () => {
  const workers = fakeWorkers()
  const client = new ProofClient()
  const first = client.run(task)
  workers[0]?.dispatchEvent(new Event('error'))
  await expect(first).rejects.toThrow(notLoadedMessage)
  const second = client.run(task)
  expect(workers).toHaveLength(2)
  workers[1]?.answer('checked')
  expect(await second).toBe('checked')
  client.close()
  expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true, true])
})

test('ProofClient: rejects the tasks that are running or start later when it is closed', async () => {
  const workers = fakeWorkers()
  const client = new ProofClient()
  const running = client.run(task)
  client.close()
  await expect(running).rejects.toThrow('The check was interrupted.')
  await expect(client.run(task)).rejects.toThrow('The check was interrupted.')
  expect(workers).toHaveLength(1)
})

test('ProofClient: starts no second worker after a load error if there is no next task', async () => {
  const workers = fakeWorkers()
  const client = new ProofClient()
  workers[0]?.dispatchEvent(new Event('error'))
  client.close()
  expect(workers).toHaveLength(1)
})
