/** The outcome of one item. */
export type Outcome<Value> = { value: Value } | { failure: unknown }

interface PendingItem<Item, Value> {
  item: Item
  resolve(value: Value): void
  reject(error: unknown): void
}

/**
 * Creates a function that processes items in batches. Items that arrive during a run go into the
 * next run, in order of arrival. Each caller gets the outcome of its own item. If a run throws, all
 * of its items fail.
 * @param executeBatch returns one outcome per item, in the same order
 */
export function createBatcher<Item, Value>(
  maxBatchSize: number,
  executeBatch: (items: Item[]) => Promise<Outcome<Value>[]>,
): (item: Item) => Promise<Value> {
  const pendingItems: PendingItem<Item, Value>[] = []
  let isRunning = false

  async function drainQueue(): Promise<void> {
    isRunning = true
    while (pendingItems.length > 0) await runBatch(pendingItems.splice(0, maxBatchSize))
    isRunning = false
  }

  async function runBatch(batch: PendingItem<Item, Value>[]): Promise<void> {
    try {
      const outcomes = await executeBatch(batch.map(({ item }) => item))
      for (const [at, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[at] ?? { failure: new Error('The batch returned no outcome for an item') }
        if ('value' in outcome) resolve(outcome.value)
        else reject(outcome.failure)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      pendingItems.push({ item, resolve, reject })
      if (!isRunning) void drainQueue()
    })
}
