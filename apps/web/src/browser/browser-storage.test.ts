import { afterEach, expect, test, vi } from 'vitest'
import { browserStorage } from './browser-storage.ts'

afterEach(() => {
  browserStorage.removeItem('theme')
  vi.unstubAllGlobals()
})

function stubStorage(localStorage: Partial<Storage>) {
  vi.stubGlobal('localStorage', localStorage)
}

const denyAccess = () => {
  throw new DOMException('Access is denied', 'SecurityError')
}

test('browserStorage: keeps values in memory when the browser blocks storage', () => {
  vi.stubGlobal('localStorage', undefined)
  expect(browserStorage.getItem('theme')).toBeNull()
  browserStorage.setItem('theme', 'light')
  expect(browserStorage.getItem('theme')).toBe('light')
  browserStorage.removeItem('theme')
  expect(browserStorage.getItem('theme')).toBeNull()
})

test('browserStorage: returns the new value when storage is full and still has the old one', () => {
  stubStorage({ getItem: () => 'dark', setItem: denyAccess, removeItem: () => {} })
  browserStorage.setItem('theme', 'light')
  expect(browserStorage.getItem('theme')).toBe('light')
})

test('browserStorage: reads and writes local storage when it is available', () => {
  const storedItems = new Map<string, string>()
  stubStorage({
    getItem: (key) => storedItems.get(key) ?? null,
    setItem: (key, value) => void storedItems.set(key, value),
    removeItem: (key) => void storedItems.delete(key),
  })
  browserStorage.setItem('theme', 'light')
  expect(storedItems.get('theme')).toBe('light')
  storedItems.set('theme', 'dark')
  expect(browserStorage.getItem('theme')).toBe('dark')
})
