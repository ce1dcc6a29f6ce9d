/**
 * Runs `work` for each item in order, with at most `limit` calls at a time. After a failure it
 * starts no more calls and waits for the running ones, so nothing is still running when it returns.
 * @throws the first error
 */
export async function mapLimit<T>(
  limit: number,
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const remainingItems = items[Symbol.iterator]()
  let failure: { error: unknown } | null = null
  const runWorker = async () => {
    for (let nextItem = remainingItems.next(); failure === null && !nextItem.done; nextItem = remainingItems.next()) {
      try {
        await work(nextItem.value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, runWorker))
  if (failure !== null) throw (failure as { error: unknown }).error
}
