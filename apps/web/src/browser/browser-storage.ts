/** Values that local storage rejected. They last until the page is closed. */
const inMemory = new Map<string, string>()

/**
 * Local storage with an in-memory fallback. Browsers throw on any access to `localStorage` if the
 * user blocks cookies, and on writes if the quota is exceeded.
 */
export const browserStorage = {
  getItem(key: string): string | null {
    try {
      return inMemory.get(key) ?? localStorage.getItem(key)
    } catch {
      return null
    }
  },
  setItem(key: string, value: string): void {
    try {
      localStorage.setItem(key, value)
      inMemory.delete(key)
    } catch {
      inMemory.set(key, value)
    }
  },
  removeItem(key: string): void {
    inMemory.delete(key)
    try {
      localStorage.removeItem(key)
    } catch {
      // Storage is blocked, so there is nothing to remove.
    }
  },
}
