const maxKeyLength = 100

/**
 * Caches the results of a function that takes a text. Stores at most `limit` results and none for
 * texts over 100 characters, so that untrusted input cannot exhaust memory. Results are shared and
 * must not be mutated.
 */
export function memoize<Result extends object | string>(
  limit: number,
  compute: (text: string) => Result,
): (text: string) => Result {
  const cache = new Map<string, Result>()
  return (text) => {
    const found = cache.get(text)
    if (found !== undefined) return found
    const result = compute(text)
    if (text.length > maxKeyLength) return result
    if (cache.size === limit) cache.clear()
    cache.set(text, result)
    return result
  }
}
