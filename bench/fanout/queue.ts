import type { ChildProcess } from 'node:child_process'

export interface Queue<T> {
  push(value: T): void
  /**
   * Returns the next value, or waits for it. Several callers may wait at the same time.
   * @throws Error if the process has ended and no value is left
   */
  next(): Promise<T>
}

/** Creates a queue of the values that a child process sends. */
export function createQueue<T>(child: ChildProcess): Queue<T> {
  const values: T[] = []
  const waiting: { resolve(value: T): void; reject(error: Error): void }[] = []
  let ended: Error | null = null
  const end = (error: Error) => {
    ended = error
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  child.once('error', end)
  child.once('exit', (code, signal) =>
    end(new Error(`A measured process has ended with ${code ?? signal}: ${child.spawnargs.join(' ')}`)),
  )
  return {
    push(value) {
      const first = waiting.shift()
      if (first) first.resolve(value)
      else values.push(value)
    },
    async next() {
      const [value] = values
      if (value !== undefined) {
        values.shift()
        return value
      }
      if (ended) throw ended
      return new Promise<T>((resolve, reject) => waiting.push({ resolve, reject }))
    },
  }
}
