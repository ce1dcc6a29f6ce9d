/** What the browser refused to keep lives as long as the page. */
const unkept = new Map<string, string>()

/**
 * Local storage, which no page may depend on: a browser that blocks cookies throws at the mere mention of it, a full one when something is put
 * there.
 */
export const browserStorage = {
  getItem(key: string): string | null {
    try {
      return unkept.get(key) ?? localStorage.getItem(key)
    } catch {
      return null
    }
  },
  setItem(key: string, value: string): void {
    try {
      localStorage.setItem(key, value)
      unkept.delete(key)
    } catch {
      unkept.set(key, value)
    }
  },
  removeItem(key: string): void {
    unkept.delete(key)
    try {
      localStorage.removeItem(key)
    } catch {
      // Nothing is there, then.
    }
  },
}
