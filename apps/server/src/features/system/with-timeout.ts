/** Returns the result of `work`, or `fallback` if it fails or takes longer than `timeoutMs`. */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(fallback), timeoutMs)
  })
  try {
    return await Promise.race([work, timeout])
  } catch {
    return fallback
  } finally {
    clearTimeout(timer)
  }
}
