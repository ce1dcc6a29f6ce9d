/** What `work` gives, or `otherwise` when it fails or takes longer. */
export async function within<T>(patienceMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), patienceMs)
  })
  try {
    return await Promise.race([work, tooLong])
  } catch {
    return otherwise
  } finally {
    clearTimeout(timer)
  }
}
