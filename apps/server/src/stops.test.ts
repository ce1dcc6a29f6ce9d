import { expect, test } from 'vitest'
import { createStops } from './stops.ts'

test('createStops: aborts the signal at once and stops all parts, newest first, when one fails', async () => {
  const seen: string[] = []
  const stops = createStops((error) => seen.push(String(error)))
  stops.signal.addEventListener('abort', () => seen.push('begun'))
  stops.add(async () => void seen.push('first'))
  stops.add(() => Promise.reject(new Error('stuck')))
  stops.add(async () => void seen.push('last'))
  await Promise.all([stops.stopAll(), stops.stopAll()])
  expect(seen).toEqual(['begun', 'last', 'Error: stuck', 'first'])
})

test('createStops: waits for starting parts and stops them, and skips a part when its start fails', async () => {
  const seen: string[] = []
  const stops = createStops((error) => seen.push(String(error)))
  let started = (_name: string) => {}
  const starting = new Promise<string>((resolve) => {
    started = resolve
  })
  void stops.keep(starting, async (name) => void seen.push(`stopped ${name}`))
  await stops
    .keep(Promise.reject<string>(new Error('port in use')), async () => void seen.push('never'))
    .catch(() => {})
  const stopped = stops.stopAll()
  expect(seen).toEqual([])
  started('database')
  await stopped
  expect(seen).toEqual(['stopped database'])
})
