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

async function askIsListed(): Promise<boolean> {
  const listed = isListed('a1')
  await vi.runAllTimersAsync()
  return listed
}

test('isListed: returns true when a visible list contains the row', async () => {
  expect(await askIsListed()).toBe(true)
})

test('isListed: returns false when a modal covers the list or the tab is hidden', async () => {
  showPage({ hasModal: true })
  expect(await askIsListed()).toBe(false)
  showPage({ isHidden: true })
  expect(await askIsListed()).toBe(false)
})

test('isListed: returns false when the tab is hidden while it waits for an animation frame', async () => {
  vi.stubGlobal('requestAnimationFrame', () => 0)
  const listed = isListed('a1')
  showPage({ isHidden: true })
  await vi.runAllTimersAsync()
  expect(await listed).toBe(false)
})
