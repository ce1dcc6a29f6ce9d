import { expect, test } from 'vitest'
import { createShutdownRegistry } from './shutdown-registry.ts'

test('shutdown: aborts the signal first and stops all parts, newest first, even when one fails', async () => {
  const messages: string[] = []
  const shutdown = createShutdownRegistry((error) => messages.push(String(error)))
  shutdown.signal.addEventListener('abort', () => messages.push('begun'))
  shutdown.add(async () => void messages.push('first'))
  shutdown.add(() => Promise.reject(new Error('stuck')))
  shutdown.add(async () => void messages.push('last'))
  await Promise.all([shutdown.stopAll(), shutdown.stopAll()])
  expect(messages).toEqual(['begun', 'last', 'Error: stuck', 'first'])
})

test('shutdown: waits for starting parts and stops them, and skips a part when its start fails', async () => {
  const messages: string[] = []
  const shutdown = createShutdownRegistry((error) => messages.push(String(error)))
  let finishStart = (_name: string) => {}
  const pendingStart = new Promise<string>((resolve) => {
    finishStart = resolve
  })
  void shutdown.addStarting(pendingStart, async (name) => void messages.push(`stopped ${name}`))
  await shutdown
    .addStarting(Promise.reject<string>(new Error('port in use')), async () => void messages.push('never'))
    .catch(() => {})
  const stopping = shutdown.stopAll()
  expect(messages).toEqual([])
  finishStart('database')
  await stopping
  expect(messages).toEqual(['stopped database'])
})
