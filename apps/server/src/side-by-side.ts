/**
 * Does work for each item, at most so many at a time, begun in their order. After a failure nothing more is begun, and what runs is waited for:
 * nothing goes on behind the caller's back.
 * @throws what the first failure has thrown
 */
export async function sideBySide<T>(
  limit: number,
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items[Symbol.iterator]()
  let failure: { error: unknown } | null = null
  const takeTurns = async () => {
    for (let next = waiting.next(); failure === null && !next.done; next = waiting.next()) {
      try {
        await work(next.value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, takeTurns))
  if (failure !== null) throw (failure as { error: unknown }).error
}
