import { afterEach, expect, test, vi } from 'vitest'
import { streamStatus } from '../../stream/stream-status.ts'
import { answerWorker } from './answer-worker.ts'

const setState = (state: 'live' | 'reconnecting' | 'offline', isNeeded: boolean) =>
  streamStatus.setState(state, isNeeded, '2026-11-21T14:32:07.000Z')

afterEach(() => {
  setState('offline', false)
  vi.unstubAllGlobals()
})

test('answerWorker: answers the service worker only while the stream of the page is live', () => {
  const serviceWorker = new EventTarget()
  vi.stubGlobal('navigator', { serviceWorker })
  const stop = answerWorker()
  /** Sends a message of the service worker, and returns the answers. */
  const ask = (type: string): unknown[] => {
    const answers: unknown[] = []
    const ports = [{ postMessage: (answer: unknown) => answers.push(answer) }]
    serviceWorker.dispatchEvent(Object.assign(new Event('message'), { data: { type }, ports }))
    return answers
  }
  setState('reconnecting', true)
  expect(ask('is-live')).toEqual([])
  setState('live', true)
  expect(ask('push-code')).toEqual([])
  expect(ask('is-live')).toEqual([true])
  stop?.()
  expect(ask('is-live')).toEqual([])
})
