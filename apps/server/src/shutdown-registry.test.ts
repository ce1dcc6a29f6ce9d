import { expect, test } from 'vitest'
import { createShutdownRegistry } from './shutdown-registry.ts'

test('shutdown: aborts the signal first and stops all parts, newest first, even when one fails', async () => {
  const seen: string[] = []
  const shutdown = createShutdownRegistry((error) => seen.push(String(error)))
  shutdown.signal.addEventListener('abort', () => seen.push('begun'))
  shutdown.add(async () => void seen.push('first'))
  shutdown.add(() => Promise.reject(new Error('stuck')))
  shutdown.add(async () => void seen.push('last'))
  await Promise.all([shutdown.stopAll(), shutdown.stopAll()])
  expect(seen).toEqual(['begun', 'last', 'Error: stuck', 'first'])
})

test('shutdown: waits for starting parts and stops them, and skips a part when its start fails', async () => {
  const seen: string[] = []
  const shutdown = createShutdownRegistry((error) => seen.push(String(error)))
  let started = (_name: string) => {}
  const starting = new Promise<string>((resolve) => {
    started = resolve
  })
  void shutdown.keep(starting, async (name) => void seen.push(`stopped ${name}`))
  await shutdown
    .keep(Promise.reject<string>(new Error('port in use')), async () => void seen.push('never'))
    .catch(() => {})
  const stopped = shutdown.stopAll()
  expect(seen).toEqual([])
  started('database')
  await stopped
  expect(seen).toEqual(['stopped database'])
})
