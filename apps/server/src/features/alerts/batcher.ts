/** What became of one item. */
export type Outcome<Value> = { value: Value } | { failure: unknown }

interface Waiting<Item, Value> {
  item: Item
  resolve(value: Value): void
  reject(error: unknown): void
}

/**
 * Runs items together: those that come while a run is under way go in the next one, in the order that they came. Each hears of its own
 * outcome; a run that throws fails all of its items.
 * @param run gives an outcome for each item, in their order
 */
export function createBatcher<Item, Value>(
  most: number,
  run: (items: Item[]) => Promise<Outcome<Value>[]>,
): (item: Item) => Promise<Value> {
  const waiting: Waiting<Item, Value>[] = []
  let isRunning = false

  async function runWaiting(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) await settle(waiting.splice(0, most))
    isRunning = false
  }

  async function settle(batch: Waiting<Item, Value>[]): Promise<void> {
    try {
      const outcomes = await run(batch.map(({ item }) => item))
      for (const [at, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[at] ?? { failure: new Error('An item was run without an outcome') }
        if ('value' in outcome) resolve(outcome.value)
        else reject(outcome.failure)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isRunning) void runWaiting()
    })
}
