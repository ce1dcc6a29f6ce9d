/** A fake cache storage in memory, with only the methods that are used. */
export function fakeCaches() {
  const stored = new Map<string, Map<string, string>>()
  const storage = {
    has: async (name: string) => stored.has(name),
    delete: async (name: string) => stored.delete(name),
    open: async (name: string) => {
      const cache = stored.get(name) ?? new Map<string, string>()
      stored.set(name, cache)
      return {
        put: async (key: string, response: Response) => void cache.set(key, await response.text()),
        match: async (key: string) => (cache.has(key) ? new Response(cache.get(key)) : undefined),
      }
    },
  }
  return { stored, storage }
}
