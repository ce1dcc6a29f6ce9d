interface Asked<Key, Value> {
  key: Key
  resolve(value: Value): void
  reject(error: unknown): void
}

/**
 * Asks for many in one question: what is asked for while one is under way, or less than `pauseMs` after the last began, goes together in the next. A
 * crowd that comes at once costs a few questions instead of thousands; who comes alone does not wait. Every answer was read after it was asked for.
 * @param ask gives a value for each key, in their order
 */
export function askTogether<Key, Value>(
  { most, pauseMs }: { most: number; pauseMs: number },
  ask: (keys: Key[]) => Promise<Value[]>,
): (key: Key) => Promise<Value> {
  const waiting: Asked<Key, Value>[] = []
  let isAsking = false

  const answer = async (batch: Asked<Key, Value>[]) => {
    try {
      const values = await ask(batch.map(({ key }) => key))
      if (values.length !== batch.length) throw new Error('A question was answered in part')
      for (const [at, value] of values.entries()) batch[at]?.resolve(value)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const answerAll = async () => {
    // Those that ask in the same moment go together.
    await null
    while (waiting.length > 0) {
      const beganAtMs = performance.now()
      await answer(waiting.splice(0, most))
      const restMs = beganAtMs + pauseMs - performance.now()
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
    }
    isAsking = false
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (isAsking) return
      isAsking = true
      void answerAll()
    })
}
