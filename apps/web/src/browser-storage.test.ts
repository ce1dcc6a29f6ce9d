import { afterEach, expect, test, vi } from 'vitest'
import { browserStorage } from './browser-storage.ts'

afterEach(() => {
  browserStorage.removeItem('theme')
  vi.unstubAllGlobals()
})

function keepIn(localStorage: Partial<Storage>) {
  vi.stubGlobal('localStorage', localStorage)
}

const denied = () => {
  throw new DOMException('Access is denied', 'SecurityError')
}

test('where the browser refuses storage, what was put there lives as long as the page', () => {
  vi.stubGlobal('localStorage', undefined)
  expect(browserStorage.getItem('theme')).toBeNull()
  browserStorage.setItem('theme', 'light')
  expect(browserStorage.getItem('theme')).toBe('light')
  browserStorage.removeItem('theme')
  expect(browserStorage.getItem('theme')).toBeNull()
})

test('on a full disk the new value counts, not the one that could not be replaced', () => {
  keepIn({ getItem: () => 'dark', setItem: denied, removeItem: () => {} })
  browserStorage.setItem('theme', 'light')
  expect(browserStorage.getItem('theme')).toBe('light')
})

test('what the browser keeps is what it says', () => {
  const kept = new Map<string, string>()
  keepIn({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  })
  browserStorage.setItem('theme', 'light')
  expect(kept.get('theme')).toBe('light')
  kept.set('theme', 'dark')
  expect(browserStorage.getItem('theme')).toBe('dark')
})
