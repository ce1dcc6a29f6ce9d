/** A fake cache storage in memory, with only the methods that are used. */
export function fakeCaches() {
  const stored = new Map<string, Map<string, string>>()
  const findResponse = (name: string, key: string) => {
    const text = stored.get(name)?.get(key)
    return text === undefined ? undefined : new Response(text)
  }
  const storage = {
    has: async (name: string) => stored.has(name),
    delete: async (name: string) => stored.delete(name),
    keys: async () => [...stored.keys()],
    match: async (key: string, { cacheName }: { cacheName: string }) => findResponse(cacheName, key),
    open: async (name: string) => {
      const cache = stored.get(name) ?? new Map<string, string>()
      stored.set(name, cache)
      return {
        put: async (key: string, response: Response) => void cache.set(key, await response.text()),
        match: async (key: string) => findResponse(name, key),
      }
    },
  }
  return { stored, storage }
}
