import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isListed } from './listed-alert.ts'

const row = { getBoundingClientRect: () => ({ top: 100, bottom: 148, height: 48 }) }

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('CSS', { escape: (text: string) => text })
  vi.stubGlobal('window', { innerHeight: 844 })
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 16))
  showPage({})
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function showPage({ isHidden = false, hasModal = false }) {
  vi.stubGlobal('document', {
    hidden: isHidden,
    querySelector: () => (hasModal ? {} : null),
    querySelectorAll: () => [row],
  })
}

async function requestIsListed(): Promise<boolean> {
  const isListedPromise = isListed('a1')
  await vi.runAllTimersAsync()
  return isListedPromise
}

test('isListed: returns true when a visible list contains the row', async () => {
  expect(await requestIsListed()).toBe(true)
})

test('isListed: returns false when a modal covers the list or the tab is hidden', async () => {
  showPage({ hasModal: true })
  expect(await requestIsListed()).toBe(false)
  showPage({ isHidden: true })
  expect(await requestIsListed()).toBe(false)
})

test('isListed: returns false when the tab becomes hidden before the next animation frame', async () => {
  vi.stubGlobal('requestAnimationFrame', () => 0)
  const isListedPromise = isListed('a1')
  showPage({ isHidden: true })
  await vi.runAllTimersAsync()
  expect(await isListedPromise).toBe(false)
})
