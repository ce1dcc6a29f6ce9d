/** Values that local storage rejected. They last until the page is closed. */
const memoryItems = new Map<string, string>()

/**
 * Local storage with an in-memory fallback. Browsers throw on any access to `localStorage` if the
 * user blocks cookies, and on writes if the quota is exceeded.
 */
export const browserStorage = {
  getItem(key: string): string | null {
    try {
      return memoryItems.get(key) ?? localStorage.getItem(key)
    } catch {
      return null
    }
  },
  setItem(key: string, value: string): void {
    try {
      localStorage.setItem(key, value)
      memoryItems.delete(key)
    } catch {
      memoryItems.set(key, value)
    }
  },
  removeItem(key: string): void {
    memoryItems.delete(key)
    try {
      localStorage.removeItem(key)
    } catch {
      // Storage is blocked, so there is nothing to remove.
    }
  },
}
